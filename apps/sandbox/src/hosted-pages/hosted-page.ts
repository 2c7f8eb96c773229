import type { Response } from 'express';

/** The companies whose pages the sandbox hosts. They are fictional. */
const PROVIDERS = {
  ekyc: { name: 'Seen & Signed', tagline: 'Identity checks for banks and lenders', mark: 'S&S' },
  aadhaar: { name: 'Aadhaar consent desk', tagline: 'Paperless offline eKYC', mark: 'आ' },
  locker: { name: 'PaperSafe', tagline: 'Your documents, shared by you alone', mark: '▣' },
} as const;
export type Provider = keyof typeof PROVIDERS;

/** A choice with which the person ends the page. */
interface Choice {
  /** Path that the choice is posted to. */
  readonly action: string;
  readonly label: string;
  /** Its effect. */
  readonly hint: string;
  /** Marks the choice of most people. */
  readonly isUsual?: boolean;
}

/** A page of another company. All texts are plain, never HTML. */
export interface HostedPage {
  /** The company of the page; each has its own look. */
  readonly provider: Provider;
  readonly title: string;
  readonly lead: string;
  readonly facts: readonly (readonly [name: string, value: string])[];
  /** The section that lists the checked or shared data. */
  readonly points?: { readonly title: string; readonly items: readonly string[] };
  /** Empty once the person has chosen. */
  readonly choices: readonly Choice[];
}

/**
 * Answers with a page without scripts. Its forms may lead here and to the origin of the redirect, since browsers apply
 * the policy for forms to redirects as well.
 * @param redirectUrl where a choice leads, if anywhere
 */
export function sendHostedPage(
  response: Response,
  page: HostedPage,
  { status = 200, redirectUrl = null }: { status?: number; redirectUrl?: string | null } = {},
): void {
  const targets = ["'self'", ...(redirectUrl === null ? [] : [new URL(redirectUrl).origin])];
  response
    .status(status)
    .set({
      'content-security-policy': [
        "default-src 'none'",
        "style-src 'self'",
        "img-src 'self'",
        "base-uri 'none'",
        `form-action ${targets.join(' ')}`,
        "frame-ancestors 'none'",
      ].join('; '),
      'referrer-policy': 'no-referrer',
    })
    .type('html')
    .send(htmlOf(page));
}

/** The page for an unknown address. */
export const unknownPage = (provider: Provider): HostedPage => ({
  provider,
  title: 'Not found',
  lead: 'There is no request at this address: it is wrong, or the sandbox was restarted.',
  facts: [],
  choices: [],
});

function htmlOf({ provider, title, lead, facts, points, choices }: HostedPage): string {
  const { name, tagline, mark } = PROVIDERS[provider];
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <meta name="color-scheme" content="light dark" />
    <title>${escapeHtml(title)} · ${escapeHtml(name)} (sandbox)</title>
    <link rel="icon" href="/assets/icon.svg" type="image/svg+xml" />
    <link rel="stylesheet" href="/assets/theme.css" />
    <link rel="stylesheet" href="/assets/hosted-page.css" />
  </head>
  <body class="${provider}">
    <header>
      <p class="mark" aria-hidden="true">${escapeHtml(mark)}</p>
      <p class="company"><strong>${escapeHtml(name)}</strong> <span>${escapeHtml(tagline)}</span></p>
      <p class="badge">Sandbox</p>
    </header>
    <main>
      <h1>${escapeHtml(title)}</h1>
      <p class="lead">${escapeHtml(lead)}</p>
      ${factList(facts)}
      ${points ? pointList(points) : ''}
      ${choiceForm(choices)}
      <p class="note">${escapeHtml(name)} does not exist: the sandbox plays it. It requires no personal data.</p>
    </main>
  </body>
</html>
`;
}

function factList(facts: HostedPage['facts']): string {
  if (facts.length === 0) return '';
  const rows = facts.map(
    ([name, value]) => `<div><dt>${escapeHtml(name)}</dt><dd>${escapeHtml(value)}</dd></div>`,
  );
  return `<dl>${rows.join('')}</dl>`;
}

function pointList({ title, items }: NonNullable<HostedPage['points']>): string {
  const rows = items.map((item) => `<li>${escapeHtml(item)}</li>`);
  return `<h2>${escapeHtml(title)}</h2><ul class="points">${rows.join('')}</ul>`;
}

function choiceForm(choices: readonly Choice[]): string {
  if (choices.length === 0) return '';
  const buttons = choices.map(
    ({ action, label, hint, isUsual = false }) =>
      `<button formaction="${escapeHtml(action)}"${isUsual ? ' class="usual"' : ''}>` +
      `<span>${escapeHtml(label)}</span><span class="hint">${escapeHtml(hint)}</span></button>`,
  );
  return `<h2>Outcome</h2><form method="post">${buttons.join('')}</form>`;
}

const ENTITIES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Escapes text for HTML, also inside the quotes of an attribute. */
function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character]!);
}
