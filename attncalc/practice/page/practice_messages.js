// Every sentence of the page, except labels of buttons and headings.
export const SCREENS = { choose: "Choose", idea: "Idea", practise: "Practise", play: "Playground", rehearsal: "Rehearsal", progress: "Progress" };
export const START = "Start the exercise";
export const IDEA = "This is the idea of the exercise. You can also start at once and read it later.";
export const CHECKING = "Checking …";
export const WAIT = "Your answer will be checked as soon as the program has loaded.";
export const DRAWING = "Looking for good numbers …";
export const LEVELS = ["the last step", "a third of the steps", "two thirds of the steps", "all steps"];
export const STAGE = (number, count, steps) => `${number} of ${count}: ${steps}`;
export const WHILE = "Enter goes to the next entry, and Ctrl+Enter checks the answer. You can paste a matrix, and type fractions (1/3). " +
  "To cross out an entry, type x.";
// For each sign or word that needs an explanation: a pattern of its HTML, and its meaning
const SIGNS = [
  [/ token/, "A token is usually a word or a part of a word. In a Vision Transformer, it is a patch of an image. Its features are the numbers in its row."],
  [/<mi>i<\/mi>.*<mi>j<\/mi>/, "In formulas, i is the row and j is the column, counted from 1."],
  [/<mi mathvariant="normal">T</, "The transpose ᵀ exchanges rows and columns."],
  [/<mi>exp</, "exp(x) is e to the power of x, and e = 2.718…."],
  [/<mi>total</, "total(M) is the sum of all entries of M."],
  [/<mo[^>]*>\|</, "[A | B] is the matrix with A and B side by side."],
  [/∞/, "In an answer, -inf is −∞, and masked entries are optional."],
  [/<m(i|text)>pos</, "The position pos, the pair i and the columns 2i and 2i + 1 are counted from 0: column 0 is the first."],
  [/<mi>(sin|cos)</, "Angles are in radians."],
  [/∑/, "∑ is the sum over all values of the letter below it."],
  [/(?<!<msub>)<mi>d<\/mi>/, "The number of features is d."],
  [/<mi>n<\/mi>/, "The number of rows is n."],
  [/>:<\/mo><mo>,/, "[:, a:b] takes the columns a to b, counted from 1."],
  [/variance/, "The variance is the mean of the squared differences from the mean."],
  [/gradient/, "The loss measures the error of a model. A gradient shows how the loss changes if a number changes slightly."],
  [/<mtext>model</, "d_model is the number of features of a token."],
  [/rowmean/, "rowmean(M) is the mean of each row of M."],
  [/∘/, "∘ multiplies the entries at the same positions."],
];
export const signs = (html) => SIGNS.filter(([pattern]) => pattern.test(html)).map(([, text]) => text).join(" ");
export const FIRST = "The completed steps are examples. You solve the other steps. Under “To do” you can choose more steps at any time.";
export const DUE_MEANS = "A mistake is due until you avoid it in another exercise, and again on a later day. " +
  "An exercise is due again on the day after you finish it. Each time you solve it again on a later day without a hint, the next interval is longer.";
export const DIGITS = (digits) => `Round to ${digits} decimals.`;
const counted = (count, noun) => (count ? [`${count === 1 ? "one" : count} ${noun}${count === 1 ? "" : "s"}`] : []);
export const DUE = ({ due, again }) => `Due today: ${[...counted(due.length, "mistake"), ...counted(again.length, "exercise")].join(" and ") || "nothing"}.`;
export const DONE = (count) => (count === 1 ? "done once" : `done ${count} times`);
export const FINISHED = (count, all) => `${count} of ${all} done`;
export const FIRST_DO = (titles) => `First do: ${titles.join("; ")}.`;
export const HERE = (title, number, count) => `${title}, exercise ${number} of ${count}. `;
export const MINUTES = (count) => `About ${count === 1 ? "one minute" : `${count} minutes`} by hand. `;
export const OPEN = "started: you continue where you stopped";
export const INTRO = "Pick an exercise and solve it by hand. Each step is checked separately, with your own earlier numbers.";
export const NO_GRADES = "Practice gives no grades, and nothing leaves this machine.";
export const PLAY_INTRO = "Change any given number. The page calculates everything again while you type, and every digit is proven. " +
  "Point at an entry, tap it, or go to it with Tab and the arrow keys, to see how it is calculated.";
export const PLAY_OTHERS = "These are not the numbers of your exercise, so they do not reveal its answer. After you have solved it, you see your own numbers here.";
export const POINT = "Point at an entry of a step, or tap it, to see how it is calculated.";
export const LAST = "The results below are for the last valid numbers.";
export const QUERY = "query", KEY = "key";
export const ARCS_OF = (name) => `${name} as lines from queries to keys. The width shows the weight.`;
export const COPIED = "This entry is copied from the previous step.";
export const RECORD = ({ met, fixed, kept }) =>
  `${met === 1 ? "made once" : `made ${met} times`}, ${fixed ? `fixed on ${fixed}` : "not fixed yet"}${kept ? `, kept on ${kept}` : ""}`;
export const NO_MISTAKES = "No mistakes yet. Mistakes that the program names will be listed here.";
export const EXPLAIN_COUNTS = "Fixed: you solved, without a hint, another exercise that reveals the mistake. Kept: you solved such an exercise again on a later day.";
export const REHEARSE = "Choose exercises. You get as many of them as fit into about 30 minutes by hand, with new numbers. You see hints and " +
  "verdicts only at the end, and there is no grade.";
export const LEFT = (minutes) => (minutes > 0 ? `About ${minutes === 1 ? "one minute" : `${minutes} minutes`} left.` : "Time is up. You can continue, or finish.");
export const EXERCISE_OF = (number, count) => `Exercise ${number} of ${count}.`;
export const RESULT = (done, count) => `${done} of ${count} exercises are right. Your mistakes are listed here and under Progress.`;
export const CORRECT = "Correct it with hints";
export const SURE = "Delete all mistakes, counts, levels and typed numbers? Without an export you cannot get them back.";
// For each verdict: its sign, and its words in the list of steps
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
