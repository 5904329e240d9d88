// Finds what matches a query, among thousands of names, within a frame: plain `includes` on lower-case text.
// `SearchIndex.ofModules`, `.ofValues` and `.ofInstructions` each make an index of the columns of a shard;
// `SearchIndex.find(indexes, query)` gives {total, results}, the best first, and at most 50 of them.
// Each word of the query must be found in one of an entry's fields. A name counts more than a scope, and
// among equals the larger entry comes first.
(function () {
  "use strict";
  const MOST = 50;
  const NAMED = 0, BEGINS = 1, IN_NAME = 2, ELSEWHERE = 3;

  function lower(text) { return text.toLowerCase(); }

  function largestFirst(sizes) {
    return Uint32Array.from(sizes.keys()).sort(function (one, other) { return sizes[other] - sizes[one] || one - other; });
  }

  // A field whose words repeat: looked up once for each word of its table.
  function tableField(label, table, numbers) {
    const words = table.map(lower);
    return {
      label: label,
      text: function (entry) { return table[numbers[entry]]; },
      matcher: function (word) {
        const found = words.map(function (text) { return text.includes(word); });
        return function (entry) { return found[numbers[entry]]; };
      }
    };
  }

  function textField(label, texts) {
    const words = texts.map(lower);
    return {
      label: label,
      text: function (entry) { return texts[entry]; },
      matcher: function (word) { return function (entry) { return words[entry].includes(word); }; }
    };
  }

  function index(kind, names, sizes, fields, href) {
    return { kind: kind, names: names, words: names.map(lower), sizes: sizes, order: largestFirst(sizes), fields: fields, href: href };
  }

  function rank(name, words, matchers, entry) {
    for (let number = 0; number < words.length; number += 1) {
      if (!name.includes(words[number]) && !matchers[number].some(function (matches) { return matches(entry); })) return -1;
    }
    if (name === words[0]) return NAMED;
    if (name.startsWith(words[0])) return BEGINS;
    return name.includes(words[0]) ? IN_NAME : ELSEWHERE;
  }

  // Adds the matches of one index to `best`, a list of results for each rank; returns how many there are.
  function collect(source, words, best) {
    const matchers = words.map(function (word) {
      return source.fields.map(function (field) { return field.matcher(word); });
    });
    let total = 0;
    source.order.forEach(function (entry) {
      const place = rank(source.words[entry], words, matchers, entry);
      if (place < 0) return;
      total += 1;
      if (best[place].length < MOST) best[place].push({ source: source, entry: entry });
    });
    return total;
  }

  // The field beside the name in which a word was found, to say why an entry is among the results.
  function reason(source, entry, words) {
    const name = source.words[entry];
    const word = words.find(function (one) { return !name.includes(one); });
    if (word === undefined) return source.fields.length ? source.fields[0].text(entry) : "";
    const field = source.fields.find(function (one) { return lower(one.text(entry)).includes(word); });
    return (field.label ? field.label + " " : "") + field.text(entry);
  }

  function result(found, words) {
    const source = found.source, entry = found.entry;
    return {
      kind: source.kind,
      name: source.names[entry],
      reason: reason(source, entry, words),
      size: source.sizes[entry],
      href: source.href(entry)
    };
  }

  window.SearchIndex = {
    find: function (indexes, query) {
      const words = lower(query).split(/\s+/).filter(Boolean);
      const best = [[], [], [], []];
      if (!words.length) return { total: 0, results: [] };
      const total = indexes.reduce(function (sum, source) { return sum + collect(source, words, best); }, 0);
      const shown = best.flat().slice(0, MOST);
      return { total: total, results: shown.map(function (found) { return result(found, words); }) };
    },
    ofModules: function (modules, root) {
      const fields = [textField("", modules.path), textField("backend", modules.backend)];
      return index("module", modules.name, modules.size, fields, function (entry) { return root + modules.href[entry]; });
    },
    ofValues: function (values, folder) {
      const names = values.name.map(function (name, number) { return name + values.index[number]; });
      const fields = [
        tableField("", values.opcodes, values.opcode),
        tableField("scope", values.scopes, values.scope),
        tableField("source", values.sources, values.source)
      ];
      return index("value", names, values.size, fields, function (entry) { return folder + window.Report.valueHref(values, entry); });
    },
    ofInstructions: function (instructions, folder) {
      const sizes = instructions.name.map(function () { return 0; });
      return index("instruction", instructions.name, sizes, [], function (entry) {
        const page = instructions.page[entry];
        return folder + "schedule" + (page === 1 ? "" : ".page-" + page) + ".html#t" + instructions.moment[entry];
      });
    }
  };
})();
