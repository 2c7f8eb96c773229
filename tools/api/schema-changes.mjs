// Finds the changes of a JSON Schema that break clients which send or read its values.
import { isDeepStrictEqual } from 'node:util';

/** Keywords without effect on values. */
const ANNOTATION =
  /^(title|description|default|examples?|deprecated|(read|write)Only|\$comment|externalDocs|discriminator|xml|x-.*)$/;

/** Keywords with their own comparison. */
const STRUCTURE = /^(type|enum|const|properties|required|items|additionalProperties)$/;

/** Limits: the lower (or the higher) of two is stricter. */
const UPPER_LIMIT = /^(max\w+|exclusiveMaximum)$/;
const LOWER_LIMIT = /^(min\w+|exclusiveMinimum)$/;

const shown = (value) => (value === undefined ? 'not given' : JSON.stringify(value));

/** Resolves the reference (#/components/...) of NODE in DOCUMENT; returns NODE if it has none. */
function resolved(document, node = {}) {
  if (typeof node.$ref !== 'string') return node;
  const found = node.$ref
    .slice(2)
    .split('/')
    .reduce((at, key) => at?.[key], document);
  if (found === undefined) throw new Error(`${node.$ref} is not in the document`);
  return resolved(document, found);
}

/** The alternatives of a schema, each with at most one type: `anyOf`, `oneOf` and lists of types mean the same. */
function alternatives(document, schema) {
  const { allOf, anyOf, oneOf = anyOf, ...own } = resolved(document, schema);
  if (allOf) throw new Error('allOf cannot be compared: the services do not use it');
  if (oneOf) return oneOf.flatMap((one) => alternatives(document, { ...own, ...resolved(document, one) }));
  return Array.isArray(own.type) ? own.type.map((type) => ({ ...own, type })) : [own];
}

const takesType = (wide, narrow) =>
  wide.type === undefined ||
  wide.type === narrow.type ||
  (wide.type === 'number' && narrow.type === 'integer');

const valuesOf = ({ enum: listed, const: only }) => listed ?? (only === undefined ? undefined : [only]);

/** Keywords by which WIDE accepts less than NARROW, or may: two patterns, for example, are not compared. */
const narrowingKeywords = (wide, narrow) =>
  Object.keys(wide).filter((keyword) => {
    if (ANNOTATION.test(keyword) || STRUCTURE.test(keyword)) return false;
    if (narrow[keyword] === undefined) return true;
    if (UPPER_LIMIT.test(keyword)) return wide[keyword] < narrow[keyword];
    if (LOWER_LIMIT.test(keyword)) return wide[keyword] > narrow[keyword];
    return !isDeepStrictEqual(wide[keyword], narrow[keyword]);
  });

/** Compares schemas of requests or of responses in DOCUMENTS ({before, after}). */
export class SchemaComparison {
  /** Pairs whose comparison has begun: a schema may contain itself. */
  #open = new Set();

  /** isOpenEnded: clients must expect values that are not listed yet. */
  constructor(documents, { isRequest, isOpenEnded = false }) {
    this.documents = documents;
    this.isRequest = isRequest;
    this.isOpenEnded = isOpenEnded;
    this.isWrong = isRequest ? 'is no longer accepted' : 'is returned now';
  }

  /** Returns each breaking change as "PLACE: change". */
  breaking(before, after, place) {
    const pair = JSON.stringify([before, after]);
    if (this.#open.has(pair)) return [];
    this.#open.add(pair);
    const sides = [alternatives(this.documents.before, before), alternatives(this.documents.after, after)];
    // the new service must accept all old requests; old clients must understand all new answers
    const [narrow, wide] = this.isRequest ? sides : sides.toReversed();
    const found = narrow.flatMap((alternative) => this.#misfits(wide, alternative, place));
    this.#open.delete(pair);
    return [...new Set(found)];
  }

  /** Reasons why no alternative of WIDE accepts everything of NARROW, for the closest alternative; empty when one does. */
  #misfits(wide, narrow, place) {
    const candidates = wide.filter((one) => takesType(one, narrow));
    if (candidates.length === 0) return [`${place}: ${narrow.type ?? 'any type'} ${this.isWrong}`];
    const [nearest] = candidates
      .map((one) => this.#differences(one, narrow, place))
      .sort((one, other) => one.length - other.length);
    return nearest;
  }

  #differences(wide, narrow, place) {
    const [before, after] = this.isRequest ? [narrow, wide] : [wide, narrow];
    const keywords = narrowingKeywords(wide, narrow).map(
      (keyword) => `${keyword} was ${shown(before[keyword])} and is ${shown(after[keyword])}`,
    );
    return [
      ...[...this.#values(valuesOf(wide), valuesOf(narrow)), ...keywords].map((what) => `${place}: ${what}`),
      ...this.#fields(before, after, place),
      ...this.#nested(before, after, place),
    ];
  }

  #values(wide, narrow) {
    if (!wide || this.isOpenEnded) return [];
    if (!narrow)
      return [this.isRequest ? `only ${shown(wide)} is accepted now` : `no longer only ${shown(wide)}`];
    return narrow
      .filter((value) => !wide.some((one) => isDeepStrictEqual(one, value)))
      .map((value) => `${shown(value)} ${this.isWrong}`);
  }

  #fields(before, after, place) {
    const [old, now] = [before.properties ?? {}, after.properties ?? {}];
    return Object.keys({ ...old, ...now }).flatMap((name) => {
      const field = `${place}.${name}`;
      if (old[name] && !now[name]) return [`${field}: is no longer ${this.isRequest ? 'read' : 'returned'}`];
      const [wasRequired, isRequired] = [before, after].map(({ required = [] }) => required.includes(name));
      return [
        ...(this.isRequest && isRequired && !wasRequired ? [`${field}: is required now`] : []),
        ...(!this.isRequest && wasRequired && !isRequired ? [`${field}: may be left out now`] : []),
        ...(old[name] ? this.breaking(old[name], now[name], field) : []),
      ];
    });
  }

  /** Compares items of lists and unnamed fields: refusing unnamed fields breaks only clients that send them. */
  #nested(before, after, place) {
    const further = [before.additionalProperties, after.additionalProperties];
    const isClosedNow = this.isRequest && further[0] !== false && further[1] === false;
    const isDescribed = !further.includes(false) && further.some((value) => typeof value === 'object');
    const [old, now] = further.map((value) => (typeof value === 'object' ? value : {}));
    return [
      ...(before.items || after.items ? this.breaking(before.items, after.items, `${place}[]`) : []),
      ...(isClosedNow ? [`${place}: other fields are refused now`] : []),
      ...(isDescribed ? this.breaking(old, now, `${place}.*`) : []),
    ];
  }
}
