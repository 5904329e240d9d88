"""Read two builds and compare them; read the history of builds."""
