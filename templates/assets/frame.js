// What of the header works only with scripts is made by this one, so that no page has to carry it: the search box,
// the button that lists the keys, and the switch of the theme.
(function () {
  "use strict";
  const tools = document.querySelector("nav.tools");
  tools.insertAdjacentHTML("beforebegin",
    '<div class="search" role="search">' +
    '<input type="search" id="search" role="combobox" aria-label="Search" aria-expanded="false"' +
    ' aria-controls="search-results" aria-autocomplete="list" placeholder="Search" autocomplete="off" spellcheck="false">' +
    '<div id="search-panel" hidden><p id="search-count" role="status"></p>' +
    '<div id="search-results" role="listbox" aria-label="Search results"></div></div></div>');
  tools.insertAdjacentHTML("beforeend",
    '<button type="button" id="keys-help" aria-label="Keys">?</button>' +
    '<button type="button" id="theme-switch">Dark</button>');
})();
