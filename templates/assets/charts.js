// Draws charts: the specification of a kind, with the data and the parameters of the page.
// A figure[data-chart] with its data beside it is drawn at once; `Charts.draw` serves the rest.
(function () {
  "use strict";
  function filled(kind, given) {
    const specification = Object.assign({}, window.REPORT_CHARTS[kind]);
    specification.datasets = given.datasets;
    specification.params = (specification.params || []).map(function (parameter) {
      return parameter.name in given.params
        ? Object.assign({}, parameter, { value: given.params[parameter.name] })
        : parameter;
    });
    return specification;
  }
  function failed(plot) {
    return function (error) {
      console.error(error);
      plot.textContent = "The chart could not be drawn; its facts are in the tables.";
    };
  }
  const drawn = new Map();
  window.Charts = {
    // A promise of the Vega view.
    draw: function (plot, kind, given, renderer) {
      const options = { ast: true, actions: false, renderer: renderer || "svg" };
      const view = window.vegaEmbed(plot, filled(kind, given), options).then(function (result) { return result.view; });
      view.catch(failed(plot));
      return view;
    },
    // The view of a figure that was drawn at once.
    of: function (figure) { return drawn.get(figure); }
  };
  document.querySelectorAll("figure[data-chart]").forEach(function (figure) {
    const given = JSON.parse(figure.querySelector('script[type="application/json"]').textContent);
    drawn.set(figure, window.Charts.draw(figure.querySelector(".plot"), figure.dataset.chart, given));
  });
})();
