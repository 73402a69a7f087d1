// Every sentence of the page for typing the answers of a class.
export const FIND = "Student, name or paper";
export const DONE = (done, all) => `${done} of ${all} typed`;
export const STATES = { none: "nothing typed", some: "begun", all: "typed" };
export const SIGNS = { none: "○", some: "◐", all: "✓" };
export const WHOSE_SCAN = "Type the student's number from the first page. You can then confirm the entries of this paper under “Groups” and “Doubtful”.";
export const KEYS = "Enter moves to the next entry, the arrow keys move in all directions, and Ctrl+Enter saves and opens the next paper. You can type 0.67, 0,67, 1/3 and -inf. Leave blank entries empty. " +
  "The grey entries follow from the mask. Change one only if the student wrote something different.";
export const WHOSE = "Student's number";
export const NOBODY = "Type the student's number first. Without it, nothing is saved.";
export const NEXT = "Save and next";
export const SAVED = (count) => (count === 1 ? "Saved, 1 entry" : `Saved, ${count} entries`);
export const SAVED_NOW = (student, count) => `${student}: ${SAVED(count)} (until now only in this browser)`;
export const KEPT = (student, place, now, typed) =>
  `${student}, ${place}: another person typed ${now}, and that entry was kept. You typed ${typed || "nothing"}. To replace that entry, type yours again.`;
export const SAVING = "Saving …";
export const NOT_SAVED = "Not saved";
export const UNREAD = (count) => (count === 1 ? "1 entry cannot be read" : `${count} entries cannot be read`);
export const ALL = "The answers of every paper have been typed.";
export const NEW = "Another student";
export const CODE = "The code on the paper";
export const NO_CODE = "The answer key has no paper with this code.";
export const place = (name, row, column) => `${name}, row ${row + 1}, column ${column + 1}`;

// The entries that were read from scans.
export const STAGES = { groups: "Groups", doubt: "Doubtful", unreadable: "Cannot be read", papers: "Papers" };
export const GROUPS = "Does every picture show the text above it?";
export const GROUP_KEYS = "Enter confirms this screen. If a picture shows something else, click it, or move to it with the arrow keys and press Space. Shift+Enter goes back one screen.";
export const CONFIRM = (count) => (count === 1 ? "Confirm 1 entry" : `Confirm ${count} entries`);
export const MORE = "Show the other pictures";
export const OUT = (count) => (count === 1 ? "1 entry is set aside. You check it later." : `${count} entries are set aside. You check them later.`);
export const BACK = "Back";
export const TAKEN_OUT = "check later";
export const BLANK = "blank";
export const TICKED = (letters) => (letters ? `ticked: ${letters}` : "nothing ticked");
export const PICTURE = (entry, text) => `${entry}: read as ${text}`;
export const PROGRESS = (done, all) => `${done} of ${all} confirmed`;
export const DOUBT_KEYS = "Enter confirms. To change the entry, type what the student wrote. Leave it empty if the student wrote nothing, and type ? if nobody can read it. Shift+Enter goes back.";
export const READING = "What the student wrote";
export const CANNOT = "Cannot be read";
export const LATER = "Later";
export const SAVE = "Confirm";
export const AGAIN = "Correct the entry, or press Enter again to keep it. If you keep it, a person reviews it later.";
export const TWICE = "This page was scanned more than once, and the scans differ. Compare them.";
export const OTHER = (now) => `Another person typed ${now || "nothing"} meanwhile. Check the entry again.`;
export const NOBODY_KNOWN = (codes) => `The students of these papers are not known: ${codes.join(", ")}. Open each paper, and type the student's number. Its entries are then listed here.`;
export const KEPT_OTHERS = (count) => (count === 1 ? "1 entry keeps the value that another person typed." : `${count} entries keep the values that other people typed.`);
export const NOT_SHOWN = "A picture cannot be shown, so this screen cannot be confirmed.";
export const NO_GROUPS = "No group is left to confirm.";
export const NO_DOUBT = "No doubtful entry is left.";
export const NO_UNREADABLE = "Every entry could be read.";
export const SCAN = "The scanned paper";
export const PAGE = (page, scan) => (scan > 1 ? `Page ${page}, scan ${scan}` : `Page ${page}`);
export const PAGE_OF = (page, code) => `Scan of page ${page} of the paper ${code}`;
export const MISSING = (pages) => `Not scanned: page ${pages.join(", ")}.`;
export const REPEATED = (pages) => `The scans of these pages differ: ${pages.join(", ")}.`;
export const NO_SCAN = "This paper was not scanned.";
export const at = (name, [row, column]) => [name, row && `row ${row}`, column && `column ${column}`].filter(Boolean).join(", ");
