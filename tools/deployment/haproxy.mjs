// The gateway's program, for the tests that stand behind one.
import { findProgram } from './machine-programs.mjs';

const help = `There is no HAProxy (2.6 or newer) on this machine, which the tests of the gateway run. Install it:
  Debian/Ubuntu "apt-get install haproxy", macOS "brew install haproxy".`;

/** Path of the program, which is installed where it can be. SAY gets a line when that takes long. */
export const haproxyProgram = (say) =>
  findProgram({ what: 'HAProxy', names: ['haproxy'], debianPackage: 'haproxy', help }, say);
