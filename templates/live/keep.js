// What a reader has before them when a page is loaded anew, and how to bring it back: the place on the page, the focus,
// what was typed, what was unfolded. What is chosen and zoomed stands in the address already, the theme in the store.
(function () {
  "use strict";
  const STORE = "reportgen-live-page";
  const GROWING = 3000;

  function read() {
    try { return JSON.parse(sessionStorage.getItem(STORE)); } catch (error) { return null; }
  }
  function write(kept) {
    try { sessionStorage.setItem(STORE, JSON.stringify(kept)); } catch (error) { /* then the page starts at its top */ }
  }
  function forget() {
    try { sessionStorage.removeItem(STORE); } catch (error) { /* nothing is there */ }
  }

  // The way from an element with an id, or the body, down to this one.
  function way(element) {
    const steps = [];
    while (element && element !== document.body && !element.id) {
      steps.unshift(Array.prototype.indexOf.call(element.parentElement.children, element));
      element = element.parentElement;
    }
    return { id: element && element.id ? element.id : null, steps: steps };
  }
  function follow(way) {
    let element = way.id === null ? document.body : document.getElementById(way.id);
    way.steps.forEach(function (step) { element = element && element.children[step]; });
    return element;
  }

  // The heading or row that is at the top of the window, and how far it is from there.
  function anchor() {
    const marks = document.querySelectorAll("main [id], main h1, main h2, main h3");
    const found = Array.from(marks).filter(function (mark) {
      const box = mark.getBoundingClientRect();
      return box.height > 0 && !mark.closest(".live-mark") && box.top >= -40 && box.top < innerHeight;
    })[0];
    return found ? { way: way(found), top: found.getBoundingClientRect().top } : null;
  }

  function scrolled() {
    return Array.from(document.querySelectorAll("main *")).filter(function (element) {
      return element.scrollLeft > 0 || element.scrollTop > 0;
    }).map(function (element) { return { way: way(element), left: element.scrollLeft, top: element.scrollTop }; });
  }

  function focused() {
    const element = document.activeElement;
    if (!element || element === document.body || element.closest("#live")) return null;
    const isText = typeof element.value === "string" && /^(search|text)$/.test(element.type);
    return { way: way(element), selection: isText ? [element.selectionStart, element.selectionEnd] : null };
  }

  function typed() {
    return Array.from(document.querySelectorAll("input[type=search], input[data-filter-of]")).filter(function (box) {
      return box.value;
    }).map(function (box) { return { way: way(box), value: box.value }; });
  }

  function unfolded() { return Array.from(document.querySelectorAll("main details[open]"), way); }

  // For the page at `path`, which is to be loaded next.
  function keep(path) {
    write({
      page: "/" + path, x: scrollX, y: scrollY, anchor: anchor(), scrolled: scrolled(), focused: focused(),
      typed: typed(), unfolded: unfolded()
    });
    history.scrollRestoration = "manual";
  }

  function place(kept) {
    const mark = kept.anchor && follow(kept.anchor.way);
    if (mark && kept.y > 0) scrollTo(kept.x, scrollY + mark.getBoundingClientRect().top - kept.anchor.top);
    else scrollTo(kept.x, kept.y);
    kept.scrolled.forEach(function (entry) {
      const element = follow(entry.way);
      if (element) element.scrollTo(entry.left, entry.top);
    });
  }

  function restoreFocus(kept) {
    const element = kept.focused && follow(kept.focused.way);
    if (!element) return;
    element.focus({ preventScroll: true });
    if (kept.focused.selection && element.setSelectionRange) {
      element.setSelectionRange(kept.focused.selection[0], kept.focused.selection[1]);
    }
  }

  function restoreTyped(kept) {
    kept.typed.forEach(function (entry) {
      const box = follow(entry.way);
      if (!box || box.value === entry.value) return;
      box.value = entry.value;
      // The list of results belongs to a box that has the focus.
      if (box.id !== "search" || document.activeElement === box) box.dispatchEvent(new Event("input", { bubbles: true }));
    });
  }

  // Charts grow when they are drawn: until the reader moves, the place is kept against that.
  function stay(kept) {
    place(kept);
    const observer = new ResizeObserver(function () { place(kept); });
    function stop() {
      observer.disconnect();
      history.scrollRestoration = "auto";
      ["wheel", "touchstart", "keydown", "pointerdown"].forEach(function (name) { removeEventListener(name, stop, true); });
    }
    ["wheel", "touchstart", "keydown", "pointerdown"].forEach(function (name) { addEventListener(name, stop, true); });
    observer.observe(document.body);
    setTimeout(stop, GROWING);
  }

  function restore(page) {
    const kept = read();
    forget();
    if (!kept || kept.page !== "/" + page) return false;
    kept.unfolded.forEach(function (entry) {
      const element = follow(entry);
      if (element && element.tagName === "DETAILS") element.open = true;
    });
    restoreFocus(kept);
    restoreTyped(kept);
    stay(kept);
    return true;
  }

  window.Live = { keep: keep, restore: restore };
})();
