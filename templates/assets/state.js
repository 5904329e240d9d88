// What the reader has chosen, kept in the URL's fragment as `#space=0&moment=12`, so that a link shows the same
// view and the Back button undoes a choice. A plain anchor, `#findings`, is no state: following one keeps the
// choices, which then live in the entry of the history alone.
//   State.get("moment")                          the text, or null
//   State.set({moment: 12, from: null})          null removes; {replace: true} makes no entry in the history
//   State.onChange(function (keys) { … })        after every change, ours or the reader's: the keys that changed
(function () {
  "use strict";
  var listeners = [];
  var values = fromHistory();

  function isAnchor(fragment) { return fragment !== "" && !fragment.includes("="); }

  function fromHistory() {
    var fragment = location.hash.slice(1);
    if (!isAnchor(fragment)) return Object.fromEntries(new URLSearchParams(fragment));
    return (history.state && history.state.values) || null;
  }

  function changedKeys(before, after) {
    var keys = Object.keys(Object.assign({}, before, after));
    return keys.filter(function (key) { return before[key] !== after[key]; });
  }

  function apply(after) {
    var keys = changedKeys(values, after);
    values = after;
    if (keys.length) listeners.forEach(function (listener) { listener(keys); });
  }

  function remember() { history.replaceState({ values: values }, ""); }

  function navigated() {
    apply(fromHistory() || values);
    if (isAnchor(location.hash.slice(1))) remember();
  }

  function set(changes, options) {
    var after = Object.assign({}, values);
    Object.keys(changes).forEach(function (key) {
      if (changes[key] === null || changes[key] === "") delete after[key];
      else after[key] = String(changes[key]);
    });
    if (!changedKeys(values, after).length) return;
    var fragment = new URLSearchParams(after).toString();
    var address = location.href.split("#")[0] + (fragment && "#" + fragment);
    history[options && options.replace ? "replaceState" : "pushState"]({ values: after }, "", address);
    apply(after);
  }

  if (values === null) {
    values = {};
    remember();
  }
  window.addEventListener("popstate", navigated);
  window.State = {
    get: function (key) { return Object.hasOwn(values, key) ? values[key] : null; },
    set: set,
    onChange: function (listener) { listeners.push(listener); }
  };
})();
