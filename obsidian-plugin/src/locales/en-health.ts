/** Words of the health view. Titles, questions and reasons come from the daemon, in the user's language. */

export const enHealth = {
  title: "Health",
  refresh: "Refresh",
  asOf: (when: string) => `Figures of ${when}.`,
  neverMeasured: "Nothing was computed yet. A night does it, or do it now.",
  measure: "Compute now",
  measuring: "Computing the figures",
  sections: {
    today: "Today",
    night: "Last night",
    reviews: "To decide",
    figures: "Figures and trends",
    coverage: "Index coverage",
    layers: "Records per layer",
    exam: "Exam",
    spending: "Spending",
    doctor: "Check-up",
  },

  join: (parts: string[]) => parts.join("; "),

  // today
  quiet: "Nothing asks for you today.",
  openQuestions: (n: number) => (n === 1 ? "1 question is open." : `${n} questions are open.`),
  revival: "Back this week",
  place: "Where it may serve:",
  used: "Noted as used.",

  // night
  noNight: "No night was had yet.",
  nightOf: (day: string) => `In the night of ${day}:`,
  processed: (notes: number, candidates: number) => `${notes === 1 ? "1 note" : `${notes} notes`} looked at, ${candidates === 1 ? "1 candidate" : `${candidates} candidates`}`,
  outcomes: { promote: "Promoted", associate: "Associated", compress: "Compressed", release: "Released" },
  taken: (share: string) => `Promoted or associated of late: ${share}`,
  consolidate: "Consolidate now",
  consolidating: "Consolidating",
  phases: {
    collect: "Collecting",
    judge: "Judging",
    write: "Writing",
    measure: "Computing",
    facts: "Reading facts",
  } as Record<string, string>,
  phase: (name: string, done: number, total: number) => (total > 0 ? `${name}, ${done} of ${total}` : name),
  nightDone: "Done.",
  nothingNew: "Done. There was nothing to change.",
  leftOut: (n: number) => (n === 1 ? "1 step was left out" : `${n} steps were left out`),
  report: "Open the report",

  // reviews
  nothingOpen: "Nothing waits for you.",
  since: (when: string) => `since ${when}`,
  older: "A (older)",
  newer: "B (newer)",
  privateNote: "Private",
  states: {
    candidate: "Candidate",
    active: "Active",
    stale: "Stale",
    archived: "Archived",
    quarantined: "Set aside",
  } as Record<string, string>,
  moreOpen: (n: number) => `Show more (${n} left)`,
  ruled: (what: string) => `Decided: ${what}`,
  confirmTitle: (what: string) => `${what}?`,
  confirmBody: "Your note stays as it is, and you can undo this.",

  // figures
  undefinedFigure: (why: string) => `Not defined: ${why}`,
  ofMany: (k: number, n: number) => `${k} of ${n}`,
  verdicts: { better: "Better", worse: "Worse", same: "Unchanged", neither: "Changed" },
  moved: (by: string, day: string) => `${by} since ${day}`,
  points: (n: string) => `${n} points`,
  chartLine: (title: string, first: string, firstDay: string, last: string, lastDay: string) =>
    `${title}: ${first} on ${firstDay}, ${last} on ${lastDay}`,
  chartNothing: (title: string) => `${title}: not defined on any day`,
  chartGaps: (n: number) => (n === 1 ? ", not defined on 1 day" : `, not defined on ${n} days`),
  table: "All numbers as a table",
  tableLabel: "Numbers day by day",
  day: "Day",
  noTrend: "No trend yet: it takes a second day.",
  none: "None",

  // coverage
  notes: "Notes",
  indexed: "Indexed",
  waiting: "Waiting",
  skipped: "Skipped",
  failedNotes: "Failed",
  vectors: (have: number, want: number) => `Meaning is known of ${have} of ${want} passages and facts.`,
  counts: (passages: number, facts: number, links: number) => `${passages} passages, ${facts} facts, ${links} links`,
  reasons: {
    excluded: "Excluded by settings",
    "memory: false": "Set in the note: memory: false",
    "conflict copy": "Copy made by a sync conflict",
  } as Record<string, string>,
  andMore: (n: number) => `and ${n} more`,

  // layers
  layers: {
    semantic: "Facts",
    episodic: "Episodes",
    procedural: "Procedures",
    concept: "Core",
    working: "Working",
  } as Record<string, string>,
  week: (by: string) => `${by} in a week`,

  // exam
  noExam: "The exam was not sat yet.",
  sit: "Sit the exam",
  sitting: "Sitting the exam",
  lastRun: (when: string, version: string) => `Last run on ${when}, version ${version}`,
  showAll: (n: number) => `All ${n} shares`,

  // spending
  noModel: "No paid model is used: rules read your notes, and nothing is spent.",
  spent: (requests: number, tokens: string, money: string) => `${requests} requests, ${tokens} tokens, ${money} in money`,
  cap: (what: string) => `Cap a day: ${what}`,
  tokens: (n: string) => `${n} tokens`,
  spentChart: "Tokens a day",
  spentInAll: (what: string) => `In the days shown: ${what}`,

  // doctor
  allWell: "Everything is in order.",
  inOrder: (n: number) => (n === 1 ? "1 check in order" : `${n} checks in order`),
  mend: (fix: string) => `What helps: ${fix}`,
};
