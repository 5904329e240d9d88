// The parts of the header that need scripts are made here, so that no page has to carry them: the search box, the
// button that lists the keys, and the theme switch.

/** Add the search box and the buttons to the header. */
export const buildHeader = () => {
  const tools = document.querySelector(".tools");
  tools?.insertAdjacentHTML("beforebegin",
    '<div class="search" role="search">' +
    '<input type="search" id="search" role="combobox" aria-label="Search" aria-expanded="false"' +
    ' aria-controls="search-results" aria-autocomplete="list" placeholder="Search" autocomplete="off" spellcheck="false">' +
    '<div id="search-panel" hidden><p id="search-count" role="status"></p>' +
    '<div id="search-results" role="listbox" aria-label="Search results"></div></div></div>');
  tools?.insertAdjacentHTML("beforeend",
    '<button type="button" id="keys-help" aria-label="Keys">?</button>' +
    '<button type="button" id="theme-switch">Dark</button>');
};
