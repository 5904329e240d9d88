// Draws each figure[data-chart]: the specification of its kind, and the data that stands beside it.
(function () {
  "use strict";
  document.querySelectorAll("figure[data-chart]").forEach(function (figure) {
    var specification = Object.assign({}, window.REPORT_CHARTS[figure.dataset.chart]);
    var data = figure.querySelector('script[type="application/json"]');
    var given = JSON.parse(data.textContent);
    specification.datasets = given.datasets;
    specification.params = (specification.params || []).map(function (param) {
      return param.name in given.params ? Object.assign({}, param, { value: given.params[param.name] }) : param;
    });
    window.vegaEmbed(figure.querySelector(".plot"), specification, {
      ast: true,
      actions: false,
      renderer: "svg"
    }).catch(function (error) {
      console.error(error);
      figure.querySelector(".plot").textContent = "The chart could not be drawn; its facts are in the tables.";
    });
  });
})();
