import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { type Browser, chromium, type Page } from 'playwright-core';
import { browserProgram } from './browser-program.mjs';

/** It runs as root in containers, and looks for nothing outside of this machine. */
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

/** What a page complained of: errors of scripts, violations of its policy, and lines in its console. */
export function complaintsOf(page: Page): string[] {
  const complaints: string[] = [];
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('console', (line) => {
    // a browser reports every answer that is no success; the console shows those itself
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

/** What axe finds wrong with a page, each as its rule and the place. */
export async function axeViolations(page: Page): Promise<string[]> {
  // past the page's policy, which keeps such scripts out
  await page.evaluate(axeSource);
  const violations = await page.evaluate(async () => {
    const { axe } = globalThis as unknown as { axe: { run(): Promise<{ violations: AxeViolation[] }> } };
    return (await axe.run()).violations;
  });
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html.slice(0, 160)} ${failureSummary}`),
  );
}
