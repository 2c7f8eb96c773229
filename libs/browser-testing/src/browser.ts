import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { type Browser, chromium, type Page } from 'playwright-core';
import { browserProgram } from './browser-program.mjs';

/** Runs as root in containers, without network access beyond this machine. */
const ARGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

export const startBrowser = async (): Promise<Browser> =>
  chromium.launch({
    executablePath: await browserProgram((line) => process.stderr.write(`${line}\n`)),
    args: ARGS,
  });

/** Problems of a page: script errors, violations of its policy, and console output. */
export function complaintsOf(page: Page): string[] {
  const complaints: string[] = [];
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('console', (line) => {
    // browsers report every failed request; the console shows those itself
    const isAnswer = line.text().startsWith('Failed to load resource');
    if (['error', 'warning'].includes(line.type()) && !isAnswer) complaints.push(line.text());
  });
  return complaints;
}

interface AxeViolation {
  readonly id: string;
  readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[];
}

const axeSource = readFileSync(createRequire(__filename).resolve('axe-core/axe.min.js'), 'utf8');

/** A part of axe's work: one element of the page, or some of the rules. */
interface AxeScope {
  /** Selector. */
  readonly within?: string;
  readonly rules?: readonly string[];
}

/** Violations that axe finds on a page, each with rule and place. */
export async function axeViolations(
  page: Page,
  { within = 'html', rules }: AxeScope = {},
): Promise<string[]> {
  // bypasses the page's policy, which forbids such scripts
  if (!(await page.evaluate('"axe" in globalThis'))) await page.evaluate(axeSource);
  const options = { resultTypes: ['violations'], ...(rules && { runOnly: [...rules] }) };
  const violations = await page.evaluate(
    async ([selector, given]) => {
      const { axe } = globalThis as unknown as {
        axe: { run(selector: string, options: object): Promise<{ violations: AxeViolation[] }> };
      };
      return (await axe.run(selector, given)).violations;
    },
    [within, options] as const,
  );
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html.slice(0, 160)} ${failureSummary}`),
  );
}
