// Light or dark as the system says, unless the reader has chosen; runs in the head so that nothing flashes.
(function () {
  "use strict";
  var key = "reportgen-theme";
  function stored() {
    try { return localStorage.getItem(key); } catch (error) { return null; }
  }
  function store(theme) {
    try { localStorage.setItem(key, theme); } catch (error) { /* a private window keeps nothing */ }
  }
  function current() {
    return document.documentElement.dataset.theme ||
      (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");
  }
  document.documentElement.classList.add("scripted");
  var chosen = stored();
  // What does nothing without scripts is only shown with them.
  document.documentElement.classList.add("scripted");
  if (chosen === "dark" || chosen === "light") document.documentElement.dataset.theme = chosen;
  document.addEventListener("DOMContentLoaded", function () {
    var button = document.getElementById("theme-switch");
    function label() { button.textContent = current() === "dark" ? "Light" : "Dark"; }
    button.hidden = false;
    label();
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", label);
    button.addEventListener("click", function () {
      var theme = current() === "dark" ? "light" : "dark";
      document.documentElement.dataset.theme = theme;
      store(theme);
      label();
    });
  });
})();
