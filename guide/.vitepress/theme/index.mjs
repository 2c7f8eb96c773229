/* global MERMAID_SCRIPT */
import { onContentUpdated, useData } from 'vitepress';
import DefaultTheme from 'vitepress/theme';
import { watch } from 'vue';
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

let drawn = 0;

/** Draws the diagrams of the page. Without the library their source stays. */
async function draw(isDark) {
  const diagrams = [...document.querySelectorAll('pre.diagram')];
  if (diagrams.length === 0) return;
  const mermaid = await loaded();
  mermaid.initialize({ startOnLoad: false, securityLevel: 'strict', theme: isDark ? 'dark' : 'neutral' });
  for (const diagram of diagrams) {
    diagram.dataset.source ??= diagram.textContent;
    const { svg } = await mermaid.render(`diagram-${drawn++}`, diagram.dataset.source);
    diagram.innerHTML = svg;
  }
}

export default {
  extends: DefaultTheme,
  setup() {
    const { isDark } = useData();
    onContentUpdated(() => draw(isDark.value));
    watch(isDark, draw);
  },
};
