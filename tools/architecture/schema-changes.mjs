// What a changed JSON Schema means for whoever sends or reads values of it. Both schemas are resolved as they are
// walked; annotations (descriptions, examples) mean nothing.

/** Names what can be said of a change: who sends, and which of the two schemas has to take everything. */
const SIDES = {
  // what clients send today has to be taken tomorrow
  request: { wide: (before, after) => after, narrow: (before) => before },
  // what is answered tomorrow has to be understood by who reads today's
  response: { wide: (before) => before, narrow: (before, after) => after },
};

const ANNOTATIONS = new Set(
  [
    'title',
    'description',
    'default',
    'example',
    'examples',
    'deprecated',
    'readOnly',
    'writeOnly',
    '$comment',
  ].concat(['externalDocs', 'discriminator', 'xml']),
);

/** Keywords that only narrow: the lower (or the higher) of two takes less. */
const UPPER_LIMITS = ['maxLength', 'maximum', 'exclusiveMaximum', 'maxItems', 'maxProperties'];
const LOWER_LIMITS = ['minLength', 'minimum', 'exclusiveMinimum', 'minItems', 'minProperties'];

/** Keywords that narrow in a way that is not compared: another value may take less. */
const OPAQUE = ['pattern', 'format', 'multipleOf', 'uniqueItems', 'contentEncoding', 'contentMediaType'];

const UNDERSTOOD = new Set(
  [
    ...UPPER_LIMITS,
    ...LOWER_LIMITS,
    ...OPAQUE,
    'type',
    'enum',
    'const',
    'properties',
    'required',
    'items',
  ].concat(['additionalProperties', 'allOf', 'anyOf', 'oneOf', '$ref']),
);

const same = (one, other) => JSON.stringify(one) === JSON.stringify(other);
const shown = (value) => JSON.stringify(value);

/** What a pointer of a document's own (#/components/...) points to. */
export function resolved(document, node) {
  if (typeof node?.$ref !== 'string') return node ?? {};
  const found = node.$ref
    .slice(2)
    .split('/')
    .map((part) => decodeURIComponent(part).replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce((at, key) => at?.[key], document);
  if (found === undefined) throw new Error(`${node.$ref} is not in the document`);
  return resolved(document, found);
}

/** One schema in place of a schema and all that it is all of. */
function merged(document, schema) {
  const { allOf, ...own } = resolved(document, schema);
  if (!allOf) return own;
  return allOf
    .map((part) => merged(document, part))
    .reduce(
      (sum, part) => ({
        ...part,
        ...sum,
        ...(part.properties || sum.properties
          ? { properties: { ...part.properties, ...sum.properties } }
          : {}),
        ...(part.required || sum.required
          ? { required: [...(part.required ?? []), ...(sum.required ?? [])] }
          : {}),
      }),
      own,
    );
}

/** The shapes that a schema offers, each with at most one type: `anyOf`, `oneOf` and lists of types are all the same. */
function shapes(document, schema) {
  const { anyOf, oneOf, ...own } = merged(document, schema);
  const offered = anyOf ?? oneOf;
  if (offered) return offered.flatMap((one) => shapes(document, { allOf: [own, one] }));
  if (Array.isArray(own.type)) return own.type.map((type) => ({ ...own, type }));
  return [own];
}

const values = ({ enum: listed, const: only }) => listed ?? (only === undefined ? undefined : [only]);

const takesType = (wide, narrow) =>
  wide.type === undefined ||
  wide.type === narrow.type ||
  (wide.type === 'number' && narrow.type === 'integer');

/** Compares the schemas of two documents. */
export class SchemaChanges {
  /** Pairs that are being compared further up: a schema may hold itself. */
  #open = new Set();

  /** `isOpenEnded`: whether readers have to expect values that are not listed yet. */
  constructor(before, after, { isOpenEnded = false } = {}) {
    this.documents = { before, after };
    this.isOpenEnded = isOpenEnded;
  }

  /** What breaks, each as "PLACE: what". SIDE is request or response. */
  breaking(before, after, side, place) {
    const key = `${side} ${shown(before)} ${shown(after)}`;
    if (this.#open.has(key)) return [];
    this.#open.add(key);
    const { wide, narrow } = SIDES[side];
    const [ofBefore, ofAfter] = [
      shapes(this.documents.before, before ?? {}),
      shapes(this.documents.after, after ?? {}),
    ];
    const wides = wide(ofBefore, ofAfter);
    const found = narrow(ofBefore, ofAfter).flatMap((shape) => this.#fitsNone(shape, wides, side, place));
    this.#open.delete(key);
    return [...new Set(found)];
  }

  /** Nothing when one of the shapes takes everything that SHAPE stands for; else what is in the way of the likeliest. */
  #fitsNone(shape, wides, side, place) {
    const candidates = wides.filter((wide) => takesType(wide, shape));
    if (candidates.length === 0) {
      const type = shape.type ?? 'any type';
      return [
        `${place}: ${side === 'request' ? `${type} is not taken any more` : `${type} is answered now`}`,
      ];
    }
    return candidates
      .map((wide) => this.#between(wide, shape, side, place))
      .reduce((least, found) => (found.length < least.length ? found : least));
  }

  #between(wide, narrow, side, place) {
    const say = (what) => `${place}: ${what}`;
    const [before, after] = side === 'request' ? [narrow, wide] : [wide, narrow];
    return [
      ...this.#listed(wide, narrow, side).map(say),
      ...narrowed(wide, narrow)
        .map((keyword) => `${keyword} was ${given(before[keyword])} and is ${given(after[keyword])}`)
        .map(say),
      ...this.#fields(before, after, side, place),
      ...this.#nested(before, after, side, place),
    ];
  }

  #listed(wide, narrow, side) {
    const taken = values(wide);
    if (taken === undefined || (this.isOpenEnded && side === 'response')) return [];
    const given = values(narrow);
    if (given === undefined)
      return [side === 'request' ? `only ${shown(taken)} is taken now` : `no longer only ${shown(taken)}`];
    return given
      .filter((value) => !taken.some((one) => same(one, value)))
      .map((value) => `${shown(value)} is ${side === 'request' ? 'not taken any more' : 'answered now'}`);
  }

  #fields(before, after, side, place) {
    const [old, now] = [before.properties ?? {}, after.properties ?? {}];
    const isNeeded = (schema, name) => (schema.required ?? []).includes(name);
    return Object.keys({ ...old, ...now }).flatMap((name) => {
      const at = `${place}.${name}`;
      if (old[name] !== undefined && now[name] === undefined)
        return [`${at}: is not ${side === 'request' ? 'read' : 'answered'} any more`];
      const [wasNeeded, isNeededNow] = [isNeeded(before, name), isNeeded(after, name)];
      return [
        ...(side === 'request' && isNeededNow && !wasNeeded ? [`${at}: is required now`] : []),
        ...(side === 'response' && wasNeeded && !isNeededNow ? [`${at}: may be left out now`] : []),
        ...(old[name] === undefined ? [] : this.breaking(old[name], now[name], side, at)),
      ];
    });
  }

  /** Items of lists, and fields beside those that are named: only who sends such fields notices that they are refused. */
  #nested(before, after, side, place) {
    const further = [before.additionalProperties, after.additionalProperties];
    const isClosedNow = further[0] !== false && further[1] === false;
    const schemaOf = (value) => (typeof value === 'object' ? value : {});
    return [
      ...(before.items || after.items ? this.breaking(before.items, after.items, side, `${place}[]`) : []),
      ...(side === 'request' && isClosedNow ? [`${place}: other fields are refused now`] : []),
      ...(further.some((value) => typeof value === 'object') && !further.includes(false)
        ? this.breaking(schemaOf(further[0]), schemaOf(further[1]), side, `${place}.*`)
        : []),
    ];
  }
}

const given = (value) => (value === undefined ? 'not given' : shown(value));

/** Keywords by which WIDE takes less than NARROW stands for, or may. */
function narrowed(wide, narrow) {
  const isOpaque = (keyword) =>
    OPAQUE.includes(keyword) ||
    !(UNDERSTOOD.has(keyword) || ANNOTATIONS.has(keyword) || keyword.startsWith('x-'));
  const stricter = (keywords, isStricter) =>
    keywords.filter(
      (keyword) =>
        wide[keyword] !== undefined &&
        (narrow[keyword] === undefined || isStricter(wide[keyword], narrow[keyword])),
    );
  return [
    ...stricter(UPPER_LIMITS, (mine, other) => mine < other),
    ...stricter(LOWER_LIMITS, (mine, other) => mine > other),
    ...Object.keys(wide).filter((keyword) => isOpaque(keyword) && !same(wide[keyword], narrow[keyword])),
  ];
}
