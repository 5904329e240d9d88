// Keeps a page that was served by `reportgen watch` up to date. The server adds this script; no file of a site has it.
// One page listens for all that are open, because a browser opens no more than six connections to a server: the one
// that holds a lock, among those that can be seen. It passes on that there is news; each page asks for its own.
(function () {
  "use strict";
  const me = document.currentScript.dataset;
  const STORE = "reportgen-live-tried";
  const channel = "BroadcastChannel" in window ? new BroadcastChannel("reportgen-live") : null;
  let source = null, release = null, waiting = null, asking = false, again = false, retry = 0, lost = 0;

  // Ids are given anew by every compilation: the value is found by its name.
  function name() {
    return /\/v\/[^/]*$/.test(me.page) ? document.querySelector("h1").textContent : "";
  }

  function isBusy() { return document.querySelector("dialog[open]") !== null || isPressed; }
  let isPressed = false;
  addEventListener("pointerdown", function () { isPressed = true; }, true);
  ["pointerup", "pointercancel"].forEach(function (kind) {
    addEventListener(kind, function () { isPressed = false; setTimeout(ask, 0); }, true);
  });
  addEventListener("close", function () { ask(); }, true);

  function tried(version) {
    try {
      const before = sessionStorage.getItem(STORE);
      sessionStorage.setItem(STORE, me.page + " " + version);
      return before === me.page + " " + version;
    } catch (error) { return false; }
  }

  function move(news) {
    if (news.path === me.page && tried(news.version)) return false;  // loading it again has not helped
    Live.keep(news.path);
    if (news.path === me.page) location.reload();
    else location.replace("/" + news.path + (news.why ? "?why=" + encodeURIComponent(news.why) : "") + location.hash);
    return true;
  }

  function heard(news) {
    clearTimeout(lost);
    lost = 0;
    if (news.starting) return Live.tell("starting", "Building the report…");
    if (news.path !== me.page || news.version !== me.version) {
      if (isBusy() || move(news)) return;
    }
    Live.show(news);
  }

  function failed() {
    if (!lost) lost = setTimeout(function () { Live.tell("lost", "Connection lost; this page is as it was. Trying again…"); }, 700);
  }

  function ask() {
    if (document.hidden) return;
    if (asking) { again = true; return; }
    asking = true;
    const query = new URLSearchParams({ page: me.page, version: me.version, name: name() });
    fetch("/-/news?" + query).then(function (answer) { return answer.json(); }).then(heard, failed).finally(function () {
      asking = false;
      if (again) { again = false; ask(); }
    });
  }

  function pass(kind) {
    if (channel) channel.postMessage(kind);
    if (kind === "news") ask(); else failed();
  }

  function listen() {
    source = new EventSource("/-/events");
    source.onmessage = function () { retry = 0; pass("news"); };
    source.onerror = function () {
      pass("lost");
      if (source && source.readyState === EventSource.CLOSED) {
        retry = Math.min(5000, 2 * retry + 500);
        setTimeout(function () { if (source && source.readyState === EventSource.CLOSED) listen(); }, retry);
      }
    };
  }

  function stop() {
    if (waiting) waiting.abort();
    if (release) release();
    if (source) source.close();
    waiting = release = source = null;
  }

  function start() {
    if (document.hidden || waiting || source) return;
    ask();
    if (!channel || !navigator.locks) return listen();
    waiting = new AbortController();
    navigator.locks.request("reportgen-live", { signal: waiting.signal }, function () {
      return new Promise(function (resolve) { release = resolve; listen(); });
    }).catch(function () { /* hidden before it was its turn */ });
  }

  function explain() {
    const address = new URL(location.href), why = address.searchParams.get("why");
    if (why === null) return;
    address.searchParams.delete("why");
    history.replaceState(history.state, "", address);
    Live.explain(why);
  }

  if (channel) channel.onmessage = function (event) { if (event.data === "news") ask(); else failed(); };
  document.addEventListener("visibilitychange", function () { if (document.hidden) stop(); else start(); });
  addEventListener("pagehide", stop);
  addEventListener("pageshow", start);
  Live.place();
  Live.restore(me.page);
  explain();
  start();
})();
