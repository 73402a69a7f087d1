// Every sentence of the page; what stands on one button, or above one thing, is said there.
export const SCREENS = { choose: "Choose", practise: "Practise", play: "Playground", progress: "Progress" };
export const CHECKING = "Checking …";
export const WAIT = "This is judged as soon as the program is here.";
export const DRAWING = "Looking for good numbers …";
export const LEVELS = ["the last step", "a third of the steps", "two thirds of the steps", "all steps"];
export const STAGE = (number, count, steps) => `${number} of ${count}: ${steps}`;
export const WHILE = "Enter goes to the next entry, Ctrl+Enter checks; a matrix can be pasted. " +
  "Fractions (1/3) and -inf for −∞ can be typed; masked entries may stay empty. To cross out an entry, type x. " +
  "In formulas i is the row and j the column; both are counted from 1.";
export const FIRST = "Most steps are worked out here, as an example to read; the last is yours. Choose more under To do whenever you like.";
export const DIGITS = (digits) => `Round to ${digits} decimals.`;
export const DUE = (count) => ["Nothing is due today.", "One mistake is due today."][count] ?? `${count} mistakes are due today.`;
export const DONE = (count) => (count === 1 ? "done once" : `done ${count} times`);
export const STARTED = "Started";
export const UNDO_IMPORT = "Undo the import";
export const OPEN = "open: goes on where you left it";
export const INTRO = "Pick an exercise and work it out by hand. Each step is judged on its own, from your own earlier numbers.";
export const NO_GRADES = "Practice gives no grades, and nothing leaves this machine.";
export const PLAY_INTRO = "Change any given number: everything is worked out again while you type, and every digit is proven. " +
  "Point at an entry, tap it, or go to it with Tab and the arrow keys, to see what made it.";
export const PLAY_OTHERS = "Your exercise has other numbers, so that nothing is given away. They stand here once everything is right.";
export const POINT = "Point at an entry of a step, or tap it, to see what made it.";
export const LAST = "Below stand the results of the last numbers that could be read.";
export const COPIED = "This entry is taken over from the step before.";
export const COUNTS = { met: "mistakes met", fixed: "fixed", kept: "kept a day later" };
export const RECORD = ({ met, fixed, kept }) =>
  `${met === 1 ? "met once" : `met ${met} times`}, ${fixed ? `fixed on ${fixed}` : "not fixed yet"}${kept ? `, kept on ${kept}` : ""}`;
export const NO_MISTAKES = "No mistakes yet. Those that the marker names are listed here.";
export const EXPLAIN_COUNTS = "Fixed: another exercise that shows the mistake was right without a hint. Kept: right again on a later day.";
export const SURE = "Delete all mistakes, counts, levels and typed numbers? What is not exported is lost.";
// Of a verdict: its sign, and how the map of the steps names it
export const VERDICTS = {
  given: ["·", "worked out"],
  right: ["✓", "right"],
  truncated: ["✓", "right"],
  carried: ["✓", "correct, given your earlier numbers"],
  wrong: ["✗", "wrong"],
  unread: ["?", "cannot be read"],
  missing: ["○", "to do"],
  last_digit: ["≈", "last digit"],
  too_coarse: ["≈", "more decimals"],
};
