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

  // As Python rounds the default, which is shown without a script.
  const whole = new Intl.NumberFormat("en-US", {maximumFractionDigits: 0, roundingMode: "halfEven"});
  for (const box of document.querySelectorAll(".slider")) {
    const {stops, cells, amounts} = JSON.parse(box.querySelector(".stops").textContent);
    const range = box.querySelector("input[type=range]");
    const place = box.querySelector("output");
    const prices = [...box.querySelectorAll("input.price")];
    const rows = [...box.querySelectorAll("tbody tr")].map(row => [...row.querySelectorAll("td")]);
    const show = () => {
      const stop = +range.value;
      place.textContent = stops[stop];
      range.setAttribute("aria-valuetext", stops[stop]);
      rows.forEach((row, at) => {
        cells[stop][at].forEach((text, column) => { row[column].textContent = text; });
        if (prices.length) {
          const total = prices.reduce((sum, price, k) => sum + price.value * amounts[k][stop][at], 0);
          row[row.length - 1].textContent = whole.format(total);
        }
      });
    };
    for (const field of [range, ...prices]) field.addEventListener("input", show);
    reveal(range);
    for (const each of box.querySelectorAll(".prices")) reveal(each);
    for (const each of box.querySelectorAll(".priced")) each.hidden = true;
    show();  // a browser may have kept what was moved before
  }

  // Browsers that do not know ::details-content print folded parts closed.
  addEventListener("beforeprint", () => {
    for (const each of document.querySelectorAll("details")) each.open = true;
  });
})();
