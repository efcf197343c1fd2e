#include "core/page/style.hpp"

namespace muster::page {

const std::string_view style_sheet = R"(:root {
  color-scheme: light dark;
  --page: #f6f7f9; --card: #ffffff; --ink: #1a1f26; --soft: #57616e; --line: #d4dae2; --track: #e6eaef;
  --link: #0a58a8; --good: #17703a; --bad: #b3261e; --warn: #8a5300; --open: #0a58a8; --on: #ffffff;
  --bad-tint: #fdecea; --warn-tint: #fdf3e1;
  --start: #4f86c6; --ran: #2e8555; --detection: #c4342b; --stop: #b86f00; --pause: #98a2b0;
  --out: #4f86c6; --err: #b86f00;
  --slurm: #98a2b0; --prepare: #5c6bb8; --meet: #b86f00; --program: #2e8555; --boot: #9a4fa8;
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #12161b; --card: #1b2129; --ink: #e7ebf0; --soft: #a6b0bd; --line: #38414d; --track: #2b333e;
    --link: #86bdf7; --good: #62cb8d; --bad: #ff9086; --warn: #ecbc62; --open: #86bdf7; --on: #12161b;
    --bad-tint: #3a1f1e; --warn-tint: #362a14;
    --start: #6ea6e6; --ran: #46b37b; --detection: #ff7d72; --stop: #e3a23c; --pause: #76818f;
    --out: #6ea6e6; --err: #e3a23c;
    --slurm: #76818f; --prepare: #8f9be0; --meet: #e3a23c; --program: #46b37b; --boot: #cf8fdc;
  }
}
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; text-size-adjust: 100%; }
body {
  margin: 0 auto; max-width: 76rem; padding: 1.5rem 1.25rem 3rem; background: var(--page);
    color: var(--ink);
  font: 1rem/1.5 system-ui, "Segoe UI", Roboto, "Noto Sans", "Liberation Sans", sans-serif;
}
code, pre, .name { font-family: ui-monospace, "SF Mono", Menlo, Consolas, "Liberation Mono", monospace; }
code { font-size: .92em; overflow-wrap: anywhere; }
a { color: var(--link); text-underline-offset: .15em; }
:focus-visible { outline: 3px solid var(--link); outline-offset: 2px; border-radius: 3px; }
.soft, .axis, .ends, footer { color: var(--soft); }
.skip { position: absolute; left: -99rem; }
.skip:focus { left: 1rem; top: 1rem; padding: .5rem 1rem; background: var(--card); z-index: 2; }
.symbols { position: absolute; }
.unseen { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%);
  white-space: nowrap; }

header, section, footer { overflow-wrap: anywhere; }
header, section {
  background: var(--card); border: 1px solid var(--line); border-radius: 10px; padding: 1.25rem 1.5rem;
    margin: 0 0 1rem;
}
.eyebrow { margin: 0; color: var(--soft); font-size: .9rem; }
h1 { margin: .1rem 0 .6rem; font-size: 1.7rem; line-height: 1.2; }
h2 { margin: 0 0 .75rem; font-size: 1.25rem; line-height: 1.3; }
h3 { margin: 0 0 .35rem; font-size: 1.05rem; }
h4 { margin: 1rem 0 .35rem; font-size: 1rem; }
p { margin: 0 0 .75rem; max-width: 50rem; }
.verdict { display: flex; align-items: center; gap: .6rem; margin: 0 0 .4rem; font-size: 1.25rem; }
.icon { flex: none; }
.good { color: var(--good); } .bad { color: var(--bad); } .stopped { color: var(--warn); }
.open { color: var(--open); }
.lead { font-size: 1.05rem; }
dl { margin: 0; }
.facts { display: grid; grid-template-columns: repeat(auto-fit, minmax(15rem, 1fr)); gap: .75rem 2rem;
  margin: .75rem 0; }
.facts .todo { grid-column: 1 / -1; border-top: 1px solid var(--line); padding-top: .75rem; }
dt { color: var(--soft); font-size: .85rem; }
dd { margin: 0; }

nav ul, .legend { display: flex; flex-wrap: wrap; gap: .4rem 1.25rem; list-style: none; margin: 0 0 1rem;
  padding: 0; }
nav ul { padding: 0 .5rem; }
.legend { font-size: .9rem; color: var(--soft); }
.legend li { display: flex; align-items: center; gap: .4rem; }
i.startup, i.lost, i.hang, i.queue,
i.start, i.ran, i.detection, i.stop, i.pause, i.out, i.err, i.slurm, i.prepare, i.meet, i.program, i.boot,
i.slowest {
  display: inline-block; width: .8rem; height: .8rem; border-radius: 2px; flex: none;
}
section .scroll:last-child, section p:last-child, section ul:last-child { margin-bottom: 0; }
.problems { border-color: var(--warn); background: var(--warn-tint); }

.timeline { list-style: none; margin: 0; padding: 0; }
.timeline li { display: grid; grid-template-columns: 11rem minmax(0, 1fr); gap: .15rem 1rem;
  margin: 0 0 .75rem; }
.timeline li p { grid-column: 2; margin: 0; font-size: .92rem; max-width: none; }
.timeline b.bad, .timeline b.good { font-weight: 600; }
.who { font-weight: 600; grid-row: 1 / span 2; }
.when { white-space: nowrap; }
.who .soft { display: block; font-weight: 400; font-size: .85rem; }
.axis { position: relative; height: 1.6rem; margin: 0 0 .5rem 12rem; border-top: 1px solid var(--line);
  font-size: .8rem; }
.axis span { position: absolute; padding: .2rem 0 0 .25rem; border-left: 1px solid var(--line);
  white-space: nowrap; }
.ends { display: flex; justify-content: space-between; font-size: .8rem; margin: .15rem 0 .75rem; }
.bar, .strip, .chart { display: block; width: 100%; overflow: visible; }
.track { fill: var(--track); }
rect.start { fill: var(--start); } rect.ran { fill: var(--ran); } rect.detection { fill: var(--detection); }
rect.stop { fill: var(--stop); } rect.pause { fill: var(--pause); } rect.open { fill: var(--open); }
rect.startup { fill: var(--prepare); } rect.lost { fill: var(--boot); }
rect.hang { fill: var(--detection); } rect.queue { fill: var(--pause); }
rect.out { fill: var(--out); } rect.err { fill: var(--err); } rect.base { fill: var(--soft); }
i.start { background: var(--start); } i.ran { background: var(--ran); }
i.detection, i.hang { background: var(--detection); } i.startup { background: var(--prepare); }
i.lost { background: var(--boot); } i.queue { background: var(--pause); }
i.stop { background: var(--stop); } i.pause { background: var(--pause); } i.out { background: var(--out); }
i.err { background: var(--err); }
rect.slurm { fill: var(--slurm); } rect.prepare { fill: var(--prepare); } rect.meet { fill: var(--meet); }
rect.program { fill: var(--program); } rect.boot { fill: var(--boot); }
i.slurm { background: var(--slurm); } i.prepare { background: var(--prepare); }
i.meet { background: var(--meet); } i.program { background: var(--program); }
i.boot { background: var(--boot); } i.slowest { background: var(--detection); }
.area .boot { fill: var(--boot); } .area .meet { fill: var(--meet); }
.area .slowest { fill: var(--detection); }
.strokes rect { fill: var(--start); } .strokes .track { fill: var(--track); }
.cpu { stroke: #00000066; stroke-width: 1; }

article { border-left: 4px solid var(--bad); padding: .1rem 0 .1rem 1rem; margin: 0 0 1.5rem; }
article:last-child { margin-bottom: 0; }
.reason { font-weight: 500; }
details { margin: .5rem 0; }
summary { cursor: pointer; padding: .15rem 0; }
pre {
  margin: .25rem 0 .75rem; padding: .75rem 1rem; overflow: auto; max-height: 32rem; background: var(--page);
  border: 1px solid var(--line); border-radius: 6px; font-size: .82rem; line-height: 1.45; tab-size: 4;
  white-space: pre-wrap; overflow-wrap: anywhere;
}

.scroll { overflow-x: auto; margin: .5rem 0 .75rem; }
table {
  overflow-wrap: break-word; border-collapse: collapse; font-size: .88rem; min-width: min(100%, 30rem);
}
caption { text-align: left; color: var(--soft); padding: 0 0 .35rem; font-size: .88rem; }
th, td { text-align: left; vertical-align: top; padding: .3rem .9rem .3rem 0;
  border-bottom: 1px solid var(--line); }
thead th { color: var(--soft); font-weight: 500; white-space: nowrap; }
tbody th { font-weight: 500; }
.n { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
.binding table { width: 100%; }
.binding td { white-space: nowrap; }
.binding td:nth-child(2) { width: 40%; min-width: 12rem; }

.nodes { display: grid; grid-template-columns: repeat(auto-fill, minmax(20rem, 1fr)); gap: .5rem; }
.node { margin: 0; border: 1px solid var(--line); border-radius: 8px; padding: .4rem .75rem; }
.node[open] { grid-column: 1 / -1; }
.node .name { font-weight: 600; font-size: .92rem; }
.node .remark { color: var(--warn); }
.chips { display: flex; flex-wrap: wrap; gap: .25rem; margin: .3rem 0 .15rem; }
.chip {
  min-width: 2.3rem; padding: 0 .3rem; border: 1px solid var(--line); border-radius: 4px;
    text-align: center;
  font-size: .8rem; line-height: 1.35rem; font-variant-numeric: tabular-nums; color: var(--ink);
}
.chip b { margin-right: .2rem; }
.chip.first { background: var(--bad); border-color: var(--bad); color: var(--on); font-weight: 700; }
.chip.failed, .chip.lost, .chip.stuck { border: 2px solid var(--bad); line-height: 1.23rem;
  color: var(--bad); }
.chip.killed, .chip.peer, .chip.early { border: 2px solid var(--warn); line-height: 1.23rem;
  color: var(--warn); }
.chip.ended { background: var(--track); }
.chip.well { border-color: var(--good); color: var(--good); }
.chip.running { border: 1px dashed var(--open); color: var(--open); }
.chip.unknown { border-style: dotted; color: var(--soft); }
.state.first, .state.failed, .state.lost, .state.stuck { color: var(--bad); font-weight: 600; }
.state.killed, .state.peer, .state.early { color: var(--warn); }
.state.well { color: var(--good); }
footer { font-size: .85rem; padding: 0 .5rem; }

@media (max-width: 40rem) {
  body { padding: .75rem .5rem 2rem; }
  header, section { padding: 1rem; }
  .timeline li { grid-template-columns: minmax(0, 1fr); }
  .who { grid-row: auto; }
  .timeline li p { grid-column: 1; }
  .who .soft { display: inline; }
  .axis { margin-left: 0; }
  .nodes { grid-template-columns: minmax(0, 1fr); }
  .scroll:not(.binding *) .wide thead { display: none; }
  .scroll:not(.binding *) .wide tbody tr { display: block; border-bottom: 1px solid var(--line);
    padding: .3rem 0; }
  .scroll:not(.binding *) .wide :is(th, td) { display: flex; justify-content: space-between; gap: 1rem;
    border: 0; padding: .05rem 0; text-align: right; white-space: normal; }
  .scroll:not(.binding *) .wide [data-of]::before { content: attr(data-of); color: var(--soft);
    font-weight: 400; text-align: left; }
}
@media print {
  :root {
    --page: #ffffff; --card: #ffffff; --ink: #000000; --soft: #444c56; --line: #b8bfc8; --track: #e6eaef;
    --link: #000000; --good: #17703a; --bad: #b3261e; --warn: #8a5300; --open: #0a58a8; --on: #ffffff;
    --bad-tint: #ffffff; --warn-tint: #ffffff;
    --start: #4f86c6; --ran: #2e8555; --detection: #c4342b; --stop: #b86f00; --pause: #98a2b0;
    --out: #4f86c6; --err: #b86f00;
    --slurm: #98a2b0; --prepare: #5c6bb8; --meet: #b86f00; --program: #2e8555; --boot: #9a4fa8;
  }
  body { max-width: none; padding: 0; font-size: 10pt; print-color-adjust: exact;
    -webkit-print-color-adjust: exact; }
  header, section { border: 0; border-top: 1px solid var(--line); border-radius: 0; padding: .75rem 0;
    margin: 0; }
  nav, .skip { display: none; }
  a { text-decoration: none; }
  h2, h3, summary, caption { break-after: avoid; }
  .timeline li, .node summary, tr, dl.facts { break-inside: avoid; }
  pre, .scroll { overflow: visible; max-height: none; }
  article details::details-content { content-visibility: visible; height: auto; }
}
)";

}  // namespace muster::page
