"use strict";
(() => {
  // What only works with a script is shown by it.
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
  for (const box of document.querySelectorAll(".slider")) {
    const {stops, cells, amounts} = JSON.parse(box.querySelector(".stops").textContent);
    const range = box.querySelector("input[type=range]");
    const place = box.querySelector("output");
    const prices = [...box.querySelectorAll("input.price")];
    const names = [...box.querySelectorAll("tbody th")].map(name => name.textContent);
    const rows = [...box.querySelectorAll("tbody tr")].map(row => [...row.querySelectorAll("td")]);
    const show = () => {
      const stop = +range.value;
      place.textContent = stops[stop];
      range.setAttribute("aria-valuetext", stops[stop]);
      rows.forEach((row, at) => {
        cells[stop][at].forEach((text, column) => { row[column].textContent = text; });
        if (prices.length) row[row.length - 1].textContent = written(total(stop, at));
      });
    };
    const paid = price => Math.max(0, +price.value || 0);
    const total = (stop, at) => prices.reduce((sum, price, k) => sum + paid(price) * amounts[k][stop][at], 0);
    const cheapest = () => {
      const found = names.map((name, at) => {
        const costs = stops.map((_, stop) => whole(total(stop, at)));
        const least = Math.min(...costs);
        return `${name} where it answers ${stops[costs.indexOf(least)]}: ${written(least)}`;
      });
      box.querySelector(".cheapest").textContent = `Cheapest: ${found.join("; ")}.`;
    };
    for (const field of [range, ...prices]) field.addEventListener("input", show);
    for (const price of prices) price.addEventListener("input", cheapest);
    reveal(range);
    for (const each of box.querySelectorAll(".prices")) reveal(each);
    for (const each of box.querySelectorAll(".priced")) each.hidden = true;
    show();  // a browser may have kept what was moved before
    if (prices.length) cheapest();
  }

  // Browsers that do not know ::details-content print folded parts closed.
  addEventListener("beforeprint", () => {
    for (const each of document.querySelectorAll("details")) each.open = true;
  });
})();
