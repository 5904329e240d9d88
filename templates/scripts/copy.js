// Buttons that copy the code beside them.

const SAID_MILLISECONDS = 2000;

/** Make each button that copies do so, and say that it did. */
export const startCopies = () => {
  document.querySelectorAll('button[name="copy"]').forEach((button) => {
    button.addEventListener("click", async () => {
      // Of a change, the new line.
      const code = button.parentElement?.querySelector("ins code") ?? button.parentElement?.querySelector("code");
      await navigator.clipboard.writeText(code?.textContent ?? "");
      button.textContent = "Copied";
      setTimeout(() => { button.textContent = "Copy"; }, SAID_MILLISECONDS);
    });
  });
};
