// Keys for what the mouse can do as well: `?` lists them, each as a button that does the same.
// Another script adds its own with `Keys.add("p", "Jump to the peak", function () { … })`.
(function () {
  "use strict";
  const STORE = "reportgen-keys";
  const keys = new Map();
  let dialog = null;

  function isOff() {
    try { return localStorage.getItem(STORE) === "off"; } catch (error) { return false; }
  }

  function keep(isOn) {
    try { localStorage.setItem(STORE, isOn ? "on" : "off"); } catch (error) { /* a private window keeps nothing */ }
  }

  function add(key, label, run) { keys.set(key, { label: label, run: run }); }

  function isTyping(target) {
    return target.closest("input, select, textarea, [contenteditable], [role=slider], dialog") !== null;
  }

  function pressed(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing || event.defaultPrevented) return;
    if (isTyping(event.target) || isOff() || !keys.has(event.key)) return;
    event.preventDefault();
    keys.get(event.key).run();
  }

  function row(entry, key) {
    const item = document.createElement("li");
    const button = document.createElement("button");
    const name = document.createElement("kbd");
    button.type = "button";
    name.textContent = key;
    button.append(name, " ", entry.label);
    button.addEventListener("click", function () {
      dialog.close();
      entry.run();
    });
    item.append(button);
    return item;
  }

  function made() {
    const made = document.createElement("dialog");
    made.className = "keys";
    made.setAttribute("aria-labelledby", "keys-title");
    made.innerHTML = '<form method="dialog"><button aria-label="Close">×</button></form><h2 id="keys-title">Keys</h2>' +
      '<ul></ul><label><input type="checkbox"> Single keys do this</label>';
    const box = made.querySelector("input");
    box.checked = !isOff();
    box.addEventListener("change", function () { keep(box.checked); });
    // A press beside the dialog closes it.
    made.addEventListener("click", function (event) { if (event.target === made) made.close(); });
    document.body.append(made);
    return made;
  }

  function help() {
    dialog = dialog || made();
    const list = dialog.querySelector("ul");
    list.replaceChildren();
    keys.forEach(function (entry, key) { if (key !== "?") list.append(row(entry, key)); });
    dialog.showModal();
  }

  add("?", "List the keys", help);
  document.getElementById("keys-help").addEventListener("click", help);
  document.addEventListener("keydown", pressed);
  window.Keys = { add: add };
})();
