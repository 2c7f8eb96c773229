// The browser in which the console is tested: the machine's own.
import { findProgram } from './machine-programs.mjs';

const help = `There is no Chromium on this machine, in which the console is tested. Do one of these and start again:
  - set CHROMIUM to the program of a Chromium or Chrome that you have
  - install one: Debian "apt-get install chromium", Fedora "dnf install chromium", macOS "brew install --cask chromium"`;

const names = ['chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome'];

/** Path of the browser, which is installed where it can be. */
export const browserProgram = async (say = () => {}) =>
  process.env.CHROMIUM ||
  (await findProgram({ what: 'Chromium', names, debianPackage: 'chromium', help }, say));
