// What every page of a site runs. Each part looks for its own elements, so one file serves all kinds of pages.
import { startCopies, startMembers } from "./buttons.js";
import { startChanges } from "./changes.js";
import { drawFigures } from "./charts.js";
import { acceptData } from "./data.js";
import { startDeviceFit } from "./device-fit.js";
import { startDevice } from "./device.js";
import { startFilters } from "./filter.js";
import { buildHeader } from "./header.js";
import { startKeys } from "./keys.js";
import { startLiveAt } from "./live-at.js";
import { startMemoryOverTime } from "./memory-over-time.js";
import { startNavigation } from "./navigation.js";
import { startOwnViews } from "./own-view.js";
import { startPackingMap } from "./packing-map.js";
import { startSearch } from "./search.js";
import { startSegmented } from "./segmented.js";
import { startSingleFile } from "./single-file.js";
import { startState } from "./state.js";
import { makeTablesSortable, startTableDownloads } from "./tables.js";
import { createTimeAxis, startControls } from "./time-axis.js";
import { startWholeTables } from "./whole-table.js";

const startCharts = () => {
  drawFigures();
  const form = /** @type {HTMLFormElement | null} */ (document.getElementById("moment-controls"));
  if (!form) return;
  const axis = createTimeAxis(Number(form.dataset.moments));
  startControls(form, axis);
  startMemoryOverTime(axis);
  startLiveAt(axis);
  startPackingMap(axis);
};

buildHeader();
acceptData();
startState();
makeTablesSortable();
startWholeTables();
startTableDownloads();
startSegmented();
startSearch();
startKeys();
startNavigation();
startFilters();
startMembers();
startCopies();
startDevice();
startDeviceFit();
startChanges();
startSingleFile();
startOwnViews();
// The chart library is a deferred script after this one, so it is there when the document is complete.
document.addEventListener("DOMContentLoaded", startCharts);
