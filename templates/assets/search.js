// The search box in the header: values and instructions of the module whose page this is, and all modules.
// An ARIA combobox: the box keeps the focus, arrows move through the results, Enter opens one, Escape closes.
(function () {
  "use strict";
  const box = document.getElementById("search");
  const panel = document.getElementById("search-panel");
  const list = document.getElementById("search-results");
  const count = document.getElementById("search-count");
  const shards = document.documentElement.dataset.shards;
  let loading = null, indexes = null, active = -1;

  function moduleIndexes() {
    const folder = shards.replace(/data\/$/, "");
    return [
      Report.load("values").then(function (values) { return SearchIndex.ofValues(values, folder); }),
      Report.load("instructions").then(function (instructions) { return SearchIndex.ofInstructions(instructions, folder); })
    ];
  }

  // Loaded with the first focus, so that a page which is only read loads nothing.
  function load() {
    if (loading) return;
    const modules = Report.loadModules().then(function (found) { return SearchIndex.ofModules(found, Report.root); });
    loading = Promise.all((shards === undefined ? [] : moduleIndexes()).concat(modules)).then(function (made) {
      indexes = made;
      show();
    }, function (error) {
      console.error(error);
      count.textContent = "The search could not load its data.";
    });
  }

  function part(name, text) {
    const made = document.createElement("span");
    made.className = name;
    made.textContent = text;
    return made;
  }

  function option(result, number) {
    const made = document.createElement("a");
    made.id = "search-result-" + number;
    made.href = result.href;
    made.tabIndex = -1;
    made.setAttribute("role", "option");
    made.setAttribute("aria-selected", "false");
    const size = part("result-size", result.kind === "instruction" ? "" : Report.bytes(result.size));
    made.append(part("result-name", result.name), " ", size, " ", part("result-kind", result.kind), " ", part("result-reason", result.reason));
    return made;
  }

  function words(total, shown) {
    if (total === shown) return total === 1 ? "1 result" : total.toLocaleString("en") + " results";
    return "The first " + shown + " of " + total.toLocaleString("en") + " results";
  }

  function open(isOpen) {
    panel.hidden = !isOpen;
    box.setAttribute("aria-expanded", String(isOpen));
    activate(-1);
  }

  function show() {
    const query = box.value.trim();
    if (!query) return open(false);
    open(true);
    if (!indexes) {
      count.textContent = "Loading…";
      return;
    }
    const found = SearchIndex.find(indexes, query);
    list.replaceChildren.apply(list, found.results.map(option));
    list.hidden = !found.total;
    count.textContent = words(found.total, found.results.length);
  }

  function activate(number) {
    const options = list.children;
    if (options[active]) options[active].setAttribute("aria-selected", "false");
    active = number;
    if (!options[active]) return box.removeAttribute("aria-activedescendant");
    options[active].setAttribute("aria-selected", "true");
    options[active].scrollIntoView({ block: "nearest" });
    box.setAttribute("aria-activedescendant", options[active].id);
  }

  function move(step) {
    const total = list.children.length;
    if (panel.hidden) show();
    else if (total) activate(active < 0 ? (step > 0 ? 0 : total - 1) : (active + step + total) % total);
  }

  // First the list, then the words, then the box itself.
  function close() {
    if (!panel.hidden) return open(false);
    if (!box.value) return box.blur();
    box.value = "";
  }

  function choose() {
    const chosen = list.children[Math.max(active, 0)];
    if (!panel.hidden && chosen) chosen.click();
  }

  const actions = {
    ArrowDown: function () { move(1); },
    ArrowUp: function () { move(-1); },
    Enter: choose,
    Escape: close
  };

  box.addEventListener("focus", load);
  box.addEventListener("input", function () { load(); show(); });
  box.addEventListener("keydown", function (event) {
    if (event.isComposing || !Object.hasOwn(actions, event.key)) return;
    event.preventDefault();
    actions[event.key]();
  });
  box.addEventListener("blur", function (event) { if (!panel.contains(event.relatedTarget)) open(false); });
  // A press on a result must not take the focus, or the list would be gone before the click.
  panel.addEventListener("mousedown", function (event) { event.preventDefault(); });
  // A link to a place on this very page leaves nothing else that would close the list.
  list.addEventListener("click", function (event) {
    if (!event.ctrlKey && !event.metaKey && !event.shiftKey) open(false);
  });
})();
