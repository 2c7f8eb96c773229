interface JsonPart {
  readonly kind: 'key' | 'text' | 'number' | 'word' | 'mark';
  readonly text: string;
}

const PARTS = /("(?:[^"\\]|\\.)*")(\s*:)?|(-?\d[\d.eE+-]*)|(true|false|null)|([^"\d\-tfn]+|.)/gs;

/** A value as indented JSON, in parts that are coloured apart. All parts together are the JSON. */
export function jsonParts(value: unknown): readonly JsonPart[] {
  const text = JSON.stringify(value, null, 2) ?? '';
  return [...text.matchAll(PARTS)].flatMap(([whole, string, colon, number, word]): JsonPart[] => {
    if (string !== undefined && colon !== undefined)
      return [
        { kind: 'key', text: string },
        { kind: 'mark', text: colon },
      ];
    if (string !== undefined) return [{ kind: 'text', text: string }];
    if (number !== undefined) return [{ kind: 'number', text: number }];
    if (word !== undefined) return [{ kind: 'word', text: word }];
    return [{ kind: 'mark', text: whole }];
  });
}
