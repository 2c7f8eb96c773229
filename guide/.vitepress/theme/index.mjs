/* global MERMAID_SCRIPT */
import { onContentUpdated, useData } from 'vitepress';
import DefaultTheme from 'vitepress/theme';
import { onMounted, watch } from 'vue';
import { keepChosenLanguage, showChosenLanguage } from './languages.mjs';
import './style.css';

let loading;
const loaded = () =>
  (loading ??= new Promise((resolve, reject) => {
    const script = document.createElement('script');
    script.src = MERMAID_SCRIPT;
    script.onload = () => resolve(globalThis.mermaid);
    script.onerror = reject;
    document.head.append(script);
  }));

const NATURAL = { useMaxWidth: false };

let drawn = 0;

/** Renders the diagrams of the page. Without the library their source is shown. */
async function draw(isDark) {
  const diagrams = [...document.querySelectorAll('pre.diagram')];
  if (diagrams.length === 0) return;
  const mermaid = await loaded();
  mermaid.initialize({
    ...{ startOnLoad: false, securityLevel: 'strict' },
    theme: isDark ? 'dark' : 'neutral',
    // Mermaid's own grey is too light behind the text
    ...(isDark && { themeVariables: { edgeLabelBackground: '#333' } }),
    // a diagram wider than the page scrolls instead of shrinking
    ...{ flowchart: NATURAL, state: NATURAL, sequence: NATURAL, er: NATURAL },
  });
  for (const diagram of diagrams) {
    diagram.dataset.source ??= diagram.textContent;
    const { svg } = await mermaid.render(`diagram-${drawn++}`, diagram.dataset.source);
    diagram.innerHTML = svg;
  }
}

/** Fixes the theme's markup: its first page has no main landmark, and headings of the sidebar are buttons without a purpose. */
function mendRoles() {
  const content = document.getElementById('VPContent');
  if (content?.querySelector('main')) content.removeAttribute('role');
  else content?.setAttribute('role', 'main');
  for (const heading of document.querySelectorAll('.VPSidebarItem:not(.collapsible) > .item[role=button]')) {
    heading.removeAttribute('role');
    heading.removeAttribute('tabindex');
  }
}

export default {
  extends: DefaultTheme,
  setup() {
    const { isDark } = useData();
    // an address without a page has no content that is updated
    onMounted(mendRoles);
    onMounted(keepChosenLanguage);
    onContentUpdated(() => {
      mendRoles();
      showChosenLanguage();
      return draw(isDark.value);
    });
    watch(isDark, draw);
  },
};
