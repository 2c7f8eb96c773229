import { createRoot } from 'react-dom/client';
import { App, Back } from './app.js';
import './style.css';

const search = new URLSearchParams(location.search);
const page =
  search.get('back') === 'ekyc' ? (
    <Back ekycState={search.get('ekyc_state')} session={search.get('session')} />
  ) : (
    <App />
  );

createRoot(document.getElementById('app')!).render(page);
