// Every sentence of the page for typing the answers of a class.
export const FIND = "Student, name or paper";
export const DONE = (done, all) => `${done} of ${all} typed`;
export const STATES = { none: "nothing typed", some: "begun", all: "typed" };
export const SIGNS = { none: "○", some: "◐", all: "✓" };
export const KEYS = "Enter moves to the next entry, the arrow keys move in all directions, and Ctrl+Enter saves and opens the next paper. You can type 0.67, 0,67, 1/3 and -inf. Leave blank entries empty. " +
  "A mask determines the grey entries. Change one only if the student wrote something else.";
export const WHOSE = "Student's number";
export const NOBODY = "Type the student's number first. Without it, nothing is saved.";
export const NEXT = "Save and next";
export const SAVED = (count) => (count === 1 ? "Saved, 1 entry" : `Saved, ${count} entries`);
export const SAVED_NOW = (student, count) => `${student}: ${SAVED(count)} that this browser had kept`;
export const KEPT = (student, place, now, typed) =>
  `${student}, ${place}: another person typed ${now}, which is kept. You typed ${typed || "nothing"}. Type your entry again to replace the other one.`;
export const SAVING = "Saving …";
export const NOT_SAVED = "Not saved";
export const UNREAD = (count) => (count === 1 ? "1 entry cannot be read" : `${count} entries cannot be read`);
export const ALL = "Every paper is typed.";
export const NEW = "Another student";
export const CODE = "The code on the paper";
export const NO_CODE = "The answer key has no paper with this code.";
export const place = (name, row, column) => `${name}, row ${row + 1}, column ${column + 1}`;
