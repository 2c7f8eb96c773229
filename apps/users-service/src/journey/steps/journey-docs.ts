import type { Issuer } from '../../config/index.js';
import {
  type Step,
  STEP_EVENTS,
  STEP_RULES,
  STEP_STATES,
  STEPS,
  type StepState,
  TRANSITIONS,
} from './journey.table.js';

/** The parts of `docs/journey.md` about steps: generated from the tables, so they cannot differ from them. */
export function journeyDocs(issuers: readonly Issuer[]): string {
  return [
    '# The journey',
    '',
    '<!-- Made by `npm run docs` from the tables of the journey; do not edit. -->',
    '',
    'The steps of each issuer, in their order. A dotted box only informs: no later step waits for it, and it is skipped once a later one is done.',
    ...issuers.flatMap((issuer) => [
      '',
      `## ${issuer.name} (\`${issuer.slug}\`)`,
      '',
      ...fenced(flow(issuer)),
    ]),
    '',
    '## A step',
    '',
    'The stored states of a step, and the transition by each event. A `NOT_STARTED` step is shown as `DUE`, or as',
    '`LOCKED` while an earlier required step is open. Events without an arrow change nothing.',
    '',
    ...fenced(states()),
    '',
    '## Calls',
    '',
    '| step | done once for | required | call |',
    '| --- | --- | --- | --- |',
    ...STEPS.map(row),
    '',
  ].join('\n');
}

const fenced = (lines: readonly string[]): string[] => ['```mermaid', ...lines, '```'];

function flow({ steps }: Issuer): string[] {
  const boxes = steps.map((step) => `  ${step}[${step}]`);
  const arrows = steps.slice(1).map((step, index) => `  ${steps[index]!} --> ${step}`);
  const informing = steps.filter((step) => !STEP_RULES[step].isRequired);
  const dotted = informing.map((step) => `  style ${step} stroke-dasharray: 4`);
  return ['flowchart LR', ...boxes, ...arrows, ...dotted];
}

function states(): string[] {
  return ['stateDiagram-v2', '  [*] --> NOT_STARTED', ...STEP_STATES.flatMap(transitionsFrom)];
}

/** One arrow for each state that is reached, with all events that lead there. */
function transitionsFrom(from: StepState): string[] {
  const changes = STEP_EVENTS.filter((event) => TRANSITIONS[from][event] !== from);
  const reached = new Set(changes.map((event) => TRANSITIONS[from][event]));
  const leadingTo = (to: StepState) => changes.filter((event) => TRANSITIONS[from][event] === to);
  return [...reached].map((to) => `  ${from} --> ${to}: ${leadingTo(to).join(', ')}`);
}

function row(step: Step): string {
  const { scope, isRequired, api, apiInProgress } = STEP_RULES[step];
  const calls = [api, apiInProgress].flatMap((call) => (call ? [`\`${call.method} ${call.path}\``] : []));
  return `| ${step} | ${scope} | ${isRequired ? 'yes' : 'no'} | ${calls.join(', then ')} |`;
}
