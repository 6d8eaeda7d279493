// The page that shows an error.
import { startTheme } from "./dom.js";

startTheme();
