import type { PageLinks } from '../config/sandbox-config.js';
import { escapeHtml } from '../hosted-pages/html.js';
import type { MagicValue } from '../magic/magic-value.js';

/**
 * The page out of its template, which has the places `{{sandbox}}`, `{{users}}`, `{{master}}` and `{{magic_values}}`.
 * @throws Error for a place that nothing belongs into
 */
export function fillPage(template: string, links: PageLinks, magicValues: readonly MagicValue[]): string {
  const parts = new Map([
    ...Object.entries(links).map(([name, url]) => [name, escapeHtml(url as string)] as const),
    ['magic_values', tablesOf(magicValues)] as const,
  ]);
  return template.replace(/\{\{([a-z_]+)\}\}/g, (_place, name: string) => {
    const part = parts.get(name);
    if (part === undefined) throw new Error(`The page has no part "${name}"`);
    return part;
  });
}

/** A table for each input. */
function tablesOf(magicValues: readonly MagicValue[]): string {
  const inputs = [...new Set(magicValues.map(({ what }) => what))];
  return inputs
    .map((input) => {
      const rows = magicValues.filter(({ what }) => what === input).map(rowOf);
      return (
        `<table><caption>${escapeHtml(input)}</caption>` +
        '<thead class="visually-hidden"><tr><th scope="col">Value</th><th scope="col">What happens</th></tr></thead>' +
        `<tbody>${rows.join('\n')}</tbody></table>`
      );
    })
    .join('\n');
}

function rowOf({ value, effect, sample }: MagicValue): string {
  const cells = [
    `<th scope="row"><code>${escapeHtml(value)}</code></th>`,
    `<td>${escapeHtml(effect)} <span class="sample">Try <code>${escapeHtml(sample)}</code></span></td>`,
  ];
  return `<tr>${cells.join('')}</tr>`;
}
