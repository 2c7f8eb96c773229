// Which changes from one OpenAPI document to the next break a client that was written for the first.
import { resolved, SchemaChanges } from '../architecture/schema-changes.mjs';

const METHODS = ['get', 'put', 'post', 'delete', 'patch', 'head', 'options'];

/** The same path whatever its parameters are called. */
const shapeOf = (path) => path.replace(/\{[^{}]+\}/g, '{}');

const isSuccess = (status) => status.startsWith('2');

/**
 * Everything that breaks, each as one sentence that stays the same from run to run, beginning with the operation.
 * What a client must expect is no break: new calls, new optional fields, new fields and failures in answers, new error
 * codes (it goes by the status of one that it does not know).
 */
export function breakingChanges(before, after) {
  const paths = new Map(Object.entries(after.paths).map(([path, item]) => [shapeOf(path), item]));
  return Object.entries(before.paths).flatMap(([path, item]) =>
    METHODS.filter((method) => item[method]).flatMap((method) => {
      const place = `${method.toUpperCase()} ${path}`;
      const now = paths.get(shapeOf(path))?.[method];
      if (!now) return [`${place}: the call is gone`];
      const changes = new OperationChanges(before, after, place);
      return changes.all(withShared(item, method), withShared(paths.get(shapeOf(path)), method));
    }),
  );
}

const withShared = (item, method) => ({
  ...item[method],
  parameters: [...(item.parameters ?? []), ...(item[method].parameters ?? [])],
});

class OperationChanges {
  constructor(before, after, place) {
    this.documents = { before, after };
    this.place = place;
  }

  all(before, after) {
    return [
      ...this.#credentials(before, after),
      ...this.#parameters(before, after),
      ...this.#body(before.requestBody, after.requestBody),
      ...this.#answers(before, after),
    ];
  }

  #schema(before, after, side, place, options) {
    return new SchemaChanges(this.documents.before, this.documents.after, options).breaking(
      before,
      after,
      side,
      `${this.place} ${place}`,
    );
  }

  #credentials(before, after) {
    const [old, now] = [before, after].map(({ security = [] }) =>
      security.map((one) => Object.keys(one).sort().join('+')),
    );
    const stillWorks =
      now.length === 0 || now.includes('') || (old.length > 0 && old.every((one) => now.includes(one)));
    return stillWorks ? [] : [`${this.place} credentials: ${now.join(' or ')} is asked for now`];
  }

  #parameters(before, after) {
    const [old, now] = [
      this.#named(this.documents.before, before.parameters),
      this.#named(this.documents.after, after.parameters),
    ];
    // a path has its parameters by their place, whatever they are called
    const names = [...new Set([...old.keys(), ...now.keys()])].filter((name) => !name.startsWith('path '));
    const paths = [old, now].map((all) => [...all].filter(([name]) => name.startsWith('path ')));
    return [
      ...paths[0].flatMap(([name, parameter], index) =>
        this.#schema(parameter.schema, paths[1][index]?.[1].schema, 'request', name),
      ),
      ...names.flatMap((name) => this.#parameter(name, old.get(name), now.get(name))),
    ];
  }

  #named(document, parameters) {
    return new Map(
      parameters
        .map((parameter) => resolved(document, parameter))
        .map((parameter) => [
          `${parameter.in} ${parameter.in === 'header' ? parameter.name.toLowerCase() : parameter.name}`,
          parameter,
        ]),
    );
  }

  #parameter(name, old, now) {
    const at = `${this.place} ${name}`;
    if (!now) return [`${at}: is not read any more`];
    const isNew = now.required && !old?.required ? [`${at}: is required now`] : [];
    return old ? [...isNew, ...this.#schema(old.schema, now.schema, 'request', name)] : isNew;
  }

  #body(before, after) {
    const [old, now] = [resolved(this.documents.before, before), resolved(this.documents.after, after)];
    const isNeeded = now.required && !old.required;
    return [
      ...(isNeeded ? [`${this.place} body: is required now`] : []),
      ...this.#contents(old.content, now.content, 'request', 'body'),
    ];
  }

  #answers(before, after) {
    return Object.entries(before.responses)
      .flatMap(([status, answer]) => {
        const old = resolved(this.documents.before, answer);
        if (!after.responses[status])
          return isSuccess(status) ? [`${this.place} ${status}: is not answered any more`] : [];
        const now = resolved(this.documents.after, after.responses[status]);
        // codes are added to failures all the time
        const options = { isOpenEnded: !isSuccess(status) };
        const headers = Object.keys(old.headers ?? {}).filter((name) => !now.headers?.[name]);
        return [
          ...headers.map((name) => `${this.place} ${status} header ${name}: is not answered any more`),
          ...this.#contents(old.content, now.content, 'response', status, options),
        ];
      })
      .concat(
        Object.keys(after.responses)
          .filter((status) => isSuccess(status) && !before.responses[status])
          .map((status) => `${this.place} ${status}: is a new kind of success`),
      );
  }

  #contents(before = {}, after = {}, side, place, options) {
    return Object.entries(before).flatMap(([type, { schema }]) => {
      if (!after[type])
        return [
          `${this.place} ${place}: ${type} is not ${side === 'request' ? 'taken' : 'answered'} any more`,
        ];
      return this.#schema(schema, after[type].schema, side, place, options);
    });
  }
}

/**
 * Sorts BREAKS ({service, change}) by what has been accepted.
 * ACCEPTED: [{service, change, reason}]. Returns {refused, accepted}.
 */
export function judge(breaks, accepted) {
  const isMeant =
    ({ service, change }) =>
    (one) =>
      one.service === service && one.change === change;
  return {
    refused: breaks.filter((one) => !accepted.some(isMeant(one))),
    accepted: accepted.filter((entry) => breaks.some(isMeant(entry))),
  };
}
