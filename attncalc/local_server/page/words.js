// The sentences that every page uses.
export const GONE = "The server has stopped. Start it again, and open the address that the terminal shows. Unsaved entries are kept in this browser, and are saved after the restart.";
export const LOADING = "The program is still loading. You can begin: your answers are checked as soon as it has loaded.";
export const NO_PYTHON = "The program could not be loaded, so answers cannot be checked. Reload the page to try again.";
export const NOT_STORED = "This browser cannot save your input: it is lost when you close the page.";
export const UNDO_PASTE = "Undo the paste";
export const cell = (name, row, column) => `${name}, row ${row}, column ${column}`;
export const shape = ([n, m]) => `${n} × ${m}`;
