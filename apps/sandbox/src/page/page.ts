import type { PageLinks } from '../config/sandbox-config.js';
import type { MagicValue } from '../magic/magic-values.table.js';

/**
 * The page out of its template, which has the places `{{sandbox}}`, `{{users}}`, `{{master}}` and `{{magic_values}}`.
 * @throws Error for a place that nothing belongs into
 */
export function fillPage(template: string, links: PageLinks, magicValues: readonly MagicValue[]): string {
  const parts = new Map([
    ...Object.entries(links).map(([name, url]) => [name, escapeHtml(url as string)] as const),
    ['magic_values', magicValues.map(rowOf).join('\n')] as const,
  ]);
  return template.replace(/\{\{([a-z_]+)\}\}/g, (_place, name: string) => {
    const part = parts.get(name);
    if (part === undefined) throw new Error(`The page has no part "${name}"`);
    return part;
  });
}

function rowOf({ what, value, effect, sample }: MagicValue): string {
  const cells = [
    `<span class="what">${escapeHtml(what)}</span> <code>${escapeHtml(value)}</code>`,
    `${escapeHtml(effect)} <span class="sample">Try <code>${escapeHtml(sample)}</code></span>`,
  ];
  return `<tr>${cells.map((cell) => `<td>${cell}</td>`).join('')}</tr>`;
}

const ENTITIES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character]!);
}
