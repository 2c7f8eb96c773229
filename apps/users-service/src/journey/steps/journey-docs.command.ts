import type { Command } from '@fd/platform';
import { loadIssuers } from '../../config/index.js';
import { journeyDocs } from './journey-docs.js';

/** `journey:docs`: prints the page about the journey. Needs no settings and no database. */
export const journeyDocsCommand: Command = {
  name: 'journey:docs',
  usage: '',
  summary: 'Prints docs/journey.md, made from the tables of the journey.',
  run: () => {
    process.stdout.write(journeyDocs(loadIssuers()));
    return 0;
  },
};
