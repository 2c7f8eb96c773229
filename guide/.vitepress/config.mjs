import { createHash } from 'node:crypto';
import { cpSync, mkdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { defineConfig } from 'vitepress';
import { composePages, pagesFolder } from '../pages.mjs';

const sidebar = composePages();

/** Served unchanged, because it is a single file. Its name changes with its content. */
const mermaid = createRequire(import.meta.url).resolve('@mermaid-js/tiny/dist/mermaid.tiny.js');
const digest = createHash('sha256').update(readFileSync(mermaid)).digest('hex').slice(0, 12);
const script = `mermaid.${digest}.js`;
mkdirSync(join(pagesFolder, 'public/assets'), { recursive: true });
cpSync(mermaid, join(pagesFolder, 'public/assets', script));

const escaped = (text) => text.replace(/[&<>{}]/g, (sign) => `&#${sign.charCodeAt(0)};`);

export default defineConfig({
  title: 'Fixed-deposit onboarding',
  description: 'How to bring a new customer from a phone number to a deposit that is ready to book',
  lang: 'en',
  base: '/guide/',
  srcDir: '.pages',
  outDir: 'dist',
  cleanUrls: true,
  metaChunk: true,
  // pages name the addresses of npm start
  ignoreDeadLinks: 'localhostLinks',
  head: [['link', { rel: 'icon', href: 'data:,' }]],
  markdown: {
    // the colours of the usual themes are too pale on the grey of code blocks
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
    // pages of the repository contain no HTML; anything that looks like HTML is text
    html: false,
    config(md) {
      const fence = md.renderer.rules.fence;
      md.renderer.rules.fence = (tokens, index, ...rest) => {
        const { info, content } = tokens[index];
        return info.trim() === 'mermaid'
          ? `<pre class="diagram" tabindex="0" role="img" aria-label="Diagram" v-pre>${escaped(content)}</pre>`
          : fence(tokens, index, ...rest);
      };
      const text = md.renderer.rules.text;
      md.renderer.rules.text = (...args) => text(...args).replaceAll('{{', '&#123;&#123;');
    },
  },
  vite: { define: { MERMAID_SCRIPT: JSON.stringify(`/guide/assets/${script}`) } },
  themeConfig: {
    search: { provider: 'local' },
    nav: [
      { text: 'Quickstart', link: '/quickstart' },
      { text: 'API', link: '/api/users/login', activeMatch: '/api/' },
      { text: 'Errors', link: '/errors/', activeMatch: '/errors/' },
      { text: 'Operate', link: '/operate/deployment', activeMatch: '/(operate|runbooks)/' },
      { text: 'Build', link: '/build/repository', activeMatch: '/(build|decisions)/' },
    ],
    notFound: {
      title: 'NO SUCH PAGE',
      quote: 'The address may be mistyped, or the page has moved. The search finds it.',
      linkText: 'To the first page',
      linkLabel: 'To the first page',
    },
    sidebar,
    outline: { level: [2, 3] },
    docFooter: { prev: false, next: false },
  },
});
