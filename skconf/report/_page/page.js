"use strict";
(() => {
  // Show what works only with a script.
  const reveal = each => { each.hidden = false; };

  const copy = async (button, said) => {
    const text = JSON.parse(document.getElementById(button.dataset.from).textContent);
    try {
      await navigator.clipboard.writeText(text);
      button.textContent = "Copied";
    } catch {
      button.textContent = "This browser does not let pages copy";
    }
    setTimeout(() => { button.textContent = said; }, 2000);
  };
  for (const button of document.querySelectorAll("button.copy")) {
    reveal(button);
    const said = button.textContent;
    button.addEventListener("click", () => copy(button, said));
  }

  const whole = number => Math.floor(number + .5);
  const written = number => whole(number).toLocaleString("en-US");
  const rounding = 1e-9;
  for (const box of document.querySelectorAll(".slider")) {
    const {stops, cells, named, errors, amounts, places} = JSON.parse(box.querySelector(".stops").textContent);
    const range = box.querySelector("input[type=range]");
    const place = box.querySelector("output");
    const allowed = box.querySelector("input.allowed");
    const prices = [...box.querySelectorAll("input.price")];
    const cheapest = box.querySelector(".cheapest");
    const names = [...box.querySelectorAll("tbody th")].map(name => name.textContent);
    const rows = [...box.querySelectorAll("tbody tr")].map(row => [...row.querySelectorAll("td")]);
    const priced = () => prices.every(price => price.checkValidity());
    const total = (stop, at) => prices.reduce((sum, price, k) => sum + +price.value * amounts[k][stop][at], 0);
    // The stop at which each row is shown.
    let shown = rows.map(() => +range.value);
    const show = said => {
      place.textContent = said;
      range.setAttribute("aria-valuetext", said);
      rows.forEach((row, at) => {
        const stop = shown[at];
        cells[stop][at].forEach((text, column) => { row[column].textContent = text; });
        if (prices.length) row[row.length - 1].textContent = priced() ? written(total(stop, at)) : "–";
        const mark = box.querySelector(`figure .here[data-row="${at}"]`);
        if (mark) mark.setAttribute("transform", `translate(${places[stop][at].join(" ")})`);
      });
    };
    const slide = () => {
      if (allowed) allowed.value = "";
      shown = rows.map(() => +range.value);
      show(stops[+range.value]);
    };
    const last = (at, most) => errors.findLastIndex(stop => stop[at] !== null && stop[at] <= most * (1 + rounding));
    const allow = () => {
      const is_given = allowed.value !== "" && allowed.checkValidity();
      allowed.setAttribute("aria-invalid", String(!is_given && allowed.value !== ""));
      if (!is_given) return;
      shown = rows.map((_, at) => Math.max(last(at, +allowed.value), 0));
      show("as many as that allows");
    };
    const best = () => names.map((_, at) => {
      const costs = stops.map((_, stop) => total(stop, at));
      const least = Math.min(...costs);
      return costs.findIndex(cost => cost <= least + rounding);
    });
    const price = () => {
      for (const each of prices) each.setAttribute("aria-invalid", String(!each.checkValidity()));
      for (const each of box.querySelectorAll(".example")) each.hidden = true;
      const paid = prices.map(each => `${each.labels[0].textContent} ${each.value || "?"}`);
      for (const each of box.querySelectorAll(".priced")) each.textContent = `Prices: ${paid.join(", ")}.`;
      tell();
      show(place.textContent);
    };
    const tell = () => {
      const told = best().map((stop, at) => {
        return `${names[at]} costs ${written(total(stop, at))} per 1,000 cases, of which it answers ${cells[stop][at][named]}`;
      });
      cheapest.textContent = priced() ? `Cheapest: ${told.join("; ")}.` : "Give each price as a number of at least 0.";
    };
    range.addEventListener("input", slide);
    if (allowed) allowed.addEventListener("input", allow);
    for (const each of prices) each.addEventListener("input", price);
    for (const go of box.querySelectorAll(".cheapest-place")) {
      go.addEventListener("click", () => {
        if (!priced()) return;
        if (allowed) allowed.value = "";
        shown = best();
        show("where each costs least");
      });
    }
    reveal(range);
    for (const each of box.querySelectorAll(".prices")) reveal(each);
    for (const each of box.querySelectorAll(".priced")) each.hidden = true;
    show(stops[+range.value]);  // a browser may have kept what was moved before
    if (prices.length) tell();
  }

  // Browsers that do not know ::details-content print folded parts closed.
  let folded = [];
  addEventListener("beforeprint", () => {
    folded = [...document.querySelectorAll("details:not(.screen, [open])")];
    for (const each of folded) each.open = true;
  });
  addEventListener("afterprint", () => {
    for (const each of folded) each.open = false;
  });
})();
