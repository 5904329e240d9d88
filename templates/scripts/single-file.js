// In a report in a single file, links to values and allocations lead to rows of the table and to a part of the map.
import { isSingleFile, loadValues } from "./data.js";
import { byId } from "./dom.js";
import * as State from "./state.js";

const follow = async () => {
  const [, kind, name] = /^#([va])(\d.*)$/.exec(location.hash) ?? [];
  if (/\bmoment=/.test(location.hash)) document.getElementById("memory")?.scrollIntoView();
  else if (/\b(scope|shape)=/.test(location.hash)) byId("values").scrollIntoView();
  if (!kind) return;
  if (kind === "v") {
    State.set({ only: name }, { replace: true });
    return byId("values").scrollIntoView();
  }
  const { allocations } = await loadValues(), allocation = allocations.id.indexOf(name);
  if (allocation < 0) return;
  State.set({ space: allocations.color[allocation], allocation }, { replace: true });
  document.getElementById("map")?.scrollIntoView();
};

/** Follow such links, and the address with which the file is opened. */
export const startSingleFile = () => {
  if (!isSingleFile()) return;
  addEventListener("hashchange", follow);
  follow();
};
