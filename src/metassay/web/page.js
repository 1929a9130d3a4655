"use strict";
(() => {
  const root = document.documentElement;
  const byId = (id) => document.getElementById(id);

  // light and dark
  const theme = byId("theme");
  const dark = () => root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  const label = () => { theme.textContent = dark() ? "Light" : "Dark"; };
  const kept = sessionStorage.getItem("theme");
  if (kept === "light" || kept === "dark") root.dataset.theme = kept;
  theme.hidden = false;
  label();
  theme.addEventListener("click", () => {
    root.dataset.theme = dark() ? "light" : "dark";
    sessionStorage.setItem("theme", root.dataset.theme);
    label();
  });

  const inWords = (size) => size >= 1e7 ? `${Math.round(size / 1e6)} MB` : size >= 1e6 ? `${(size / 1e6).toFixed(1)} MB` : `${Math.max(1, Math.round(size / 1e3))} kB`;

  // sending files
  const upload = byId("upload");
  if (upload) {
    const input = byId("files"), drop = byId("drop"), problem = byId("problem"), bar = byId("sending");
    const button = upload.querySelector("button[type=submit]");
    const complain = (text) => { problem.textContent = text; problem.hidden = !text; };
    const fits = () => {
      const files = [...input.files];
      const size = files.reduce((sum, file) => sum + file.size, 0);
      byId("chosen").replaceChildren(...files.map((file) => {
        const item = document.createElement("li");
        item.textContent = `${file.name} (${inWords(file.size)})`;
        return item;
      }));
      if (size > Number(upload.dataset.limit)) {
        complain(`That is ${inWords(size)}; at most ${upload.dataset.limitWords} can be sent. Send fewer files, or pack them with gzip.`);
      } else if (files.length > Number(upload.dataset.files)) {
        complain(`Those are ${files.length} files; at most ${upload.dataset.files} can be sent at once.`);
      } else {
        complain("");
        return true;
      }
      return false;
    };
    input.addEventListener("change", fits);
    for (const name of ["dragenter", "dragover"]) {
      drop.addEventListener(name, (event) => { event.preventDefault(); drop.classList.add("over"); });
    }
    for (const name of ["dragleave", "drop"]) drop.addEventListener(name, () => drop.classList.remove("over"));
    drop.addEventListener("drop", (event) => {
      event.preventDefault();
      if (event.dataTransfer.files.length) { input.files = event.dataTransfer.files; fits(); }
    });
    // A file that misses the field must not replace the page.
    for (const name of ["dragover", "drop"]) window.addEventListener(name, (event) => event.preventDefault());
    upload.addEventListener("submit", (event) => {
      event.preventDefault();
      if (!fits()) return;
      const request = new XMLHttpRequest();
      const over = (text) => { button.disabled = false; bar.hidden = true; complain(text); };
      request.open("POST", upload.action);
      request.setRequestHeader("Accept", "application/json");
      request.responseType = "json";
      request.upload.addEventListener("progress", (sent) => { if (sent.lengthComputable) bar.value = sent.loaded / sent.total; });
      request.addEventListener("load", () => {
        const answer = request.response || {};
        if (answer.address) location.assign(answer.address);
        else over(answer.error || "The server gave no answer; try again.");
      });
      request.addEventListener("error", () => over("The connection broke off; is the server still running?"));
      button.disabled = true;
      bar.hidden = false;
      complain("");
      request.send(new FormData(upload));
    });
    window.addEventListener("pageshow", () => { button.disabled = false; bar.hidden = true; });
  }

  // choosing columns
  for (const tools of document.querySelectorAll("#choose .tools")) {
    tools.hidden = false;
    tools.addEventListener("click", (event) => {
      const kind = event.target.dataset.set;
      if (kind === undefined) return;
      for (const select of document.querySelectorAll("#choose .columns select")) {
        const unsaid = [...select.options].some((option) => option.value === "other");
        if (unsaid ? select.value === "other" : select.value !== "human") select.value = kind;
      }
    });
  }

  // what a report will cost
  const cost = byId("cost"), choose = byId("choose");
  if (cost) {
    let waiting = 0;
    const tell = async () => {
      try {
        const answer = await fetch(cost.dataset.address, { method: "POST", body: new FormData(choose), headers: { Accept: "application/json" } });
        if (answer.ok) cost.textContent = (await answer.json()).words;
      } catch { /* the form says the rest */ }
    };
    const soon = () => { clearTimeout(waiting); waiting = setTimeout(tell, 300); };
    choose.addEventListener("input", soon);
    choose.addEventListener("click", (event) => { if (event.target.dataset.set !== undefined) soon(); });
  }

  // waiting
  const work = byId("work");
  if (work) {
    let failures = 0;
    const ask = async () => {
      try {
        const answer = await fetch(work.dataset.state, { headers: { Accept: "application/json" } });
        const state = await answer.json();
        failures = 0;
        if (!answer.ok || state.stage !== work.dataset.stage) return location.reload();
        const what = byId("what"), bar = byId("bar");
        if (what && what.textContent !== state.words) what.textContent = state.words;
        const first = byId("first");
        if (state.first && first && first.hidden) {
          const frame = document.createElement("iframe");
          frame.src = first.dataset.address;
          frame.title = "The first screen of the report";
          first.replaceChildren(frame);
          first.hidden = false;
        }
        if (bar) { bar.value = state.done; byId("spent").textContent = state.spent; }
      } catch {
        failures += 1;
        if (failures > 5 && byId("what")) byId("what").textContent = "No answer from the server; is it still running?";
      }
      setTimeout(ask, failures ? 2000 : 500);
    };
    setTimeout(ask, 300);
  }
})();
