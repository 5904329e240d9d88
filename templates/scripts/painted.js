// A sign of work before the work: a script that runs keeps the browser from showing what has changed.

/** What so many values or moments are drawn or filtered for can take longer than a reader waits without a sign. */
export const MANY = 5000;

/** Wait until what has changed is on the screen. */
export const painted = () => new Promise((resolve) => { requestAnimationFrame(() => setTimeout(resolve)); });
