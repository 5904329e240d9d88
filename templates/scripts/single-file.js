// In a report in a single file, links lead to parts of it: a choice in the address to the part that it changes.
import { isSingleFile } from "./data.js";
import { byId } from "./dom.js";

const follow = () => {
  if (/\bmoment=/.test(location.hash)) document.getElementById("memory")?.scrollIntoView();
  else if (/\b(scope|shape)=/.test(location.hash)) byId("values").scrollIntoView();
};

/** Follow such links, and the address with which the file is opened. */
export const startSingleFile = () => {
  if (!isSingleFile()) return;
  addEventListener("hashchange", follow);
  follow();
};
