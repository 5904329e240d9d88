// Light or dark as the system prefers, unless the reader has chosen. Runs in the head, before anything is painted,
// because the page would flash otherwise.
import { keepText, recallText } from "./storage.js";

const STORE = "reportgen-theme";
const systemIsDark = matchMedia("(prefers-color-scheme: dark)");
const page = document.documentElement;

const current = () => page.dataset.theme ?? (systemIsDark.matches ? "dark" : "light");

const startSwitch = () => {
  const button = document.getElementById("theme-switch");
  if (!button) return;
  const label = () => { button.textContent = current() === "dark" ? "Light" : "Dark"; };
  label();
  systemIsDark.addEventListener("change", label);
  button.addEventListener("click", () => {
    page.dataset.theme = current() === "dark" ? "light" : "dark";
    keepText(STORE, page.dataset.theme);
    label();
  });
};

// What needs scripts is only shown where they run.
page.classList.add("scripted");
const chosen = recallText(STORE);
if (chosen === "dark" || chosen === "light") page.dataset.theme = chosen;
document.addEventListener("DOMContentLoaded", startSwitch);
