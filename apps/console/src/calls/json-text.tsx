import { useMemo } from 'preact/hooks';
import { jsonParts } from './json-parts.js';

/** A value as coloured JSON; other text unchanged. Always text, never HTML. */
export function JsonText({ value, label }: { readonly value: unknown; readonly label: string }) {
  const parts = useMemo(() => (typeof value === 'string' ? undefined : jsonParts(value)), [value]);
  return (
    <pre class="json" tabIndex={0} role="region" aria-label={label}>
      {parts?.map(({ kind, text }, index) => (
        <span key={index} class={`json-${kind}`}>
          {text}
        </span>
      )) ?? String(value)}
    </pre>
  );
}
