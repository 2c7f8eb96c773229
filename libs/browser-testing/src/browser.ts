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

/** Violations that axe finds on a page, each with rule and place. */
export async function axeViolations(page: Page): Promise<string[]> {
  // bypasses the page's policy, which forbids such scripts
  await page.evaluate(axeSource);
  const violations = await page.evaluate(async () => {
    const { axe } = globalThis as unknown as { axe: { run(): Promise<{ violations: AxeViolation[] }> } };
    return (await axe.run()).violations;
  });
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html.slice(0, 160)} ${failureSummary}`),
  );
}
