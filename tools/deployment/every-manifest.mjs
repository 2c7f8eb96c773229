// The objects of every environment, with queries for the specs of manifests.
import { ENVIRONMENTS, rendered, STEPS } from './manifests.mjs';

export const SERVICES = ['users-service', 'master-service'];

/** Objects by environment and step. */
export const all = Object.fromEntries(
  await Promise.all(
    ENVIRONMENTS.map(async (environment) => {
      const steps = await Promise.all(STEPS.map(async (step) => [step, await rendered(environment, step)]));
      return [environment, Object.fromEntries(steps)];
    }),
  ),
);

export const objectsOf = (environment) => STEPS.flatMap((step) => all[environment][step]);
export const inEach = (check) =>
  ENVIRONMENTS.forEach((environment) => check(objectsOf(environment), environment));
export const nameOf = ({ kind, metadata }) => `${kind}/${metadata.name}`;

/** Whether a selector selects an object with this metadata. */
export const hits = ({ matchLabels = {}, matchExpressions = [] }, { labels = {} }) =>
  Object.entries(matchLabels).every(([name, value]) => labels[name] === value) &&
  matchExpressions.every(({ key, values }) => values.includes(labels[key]));
