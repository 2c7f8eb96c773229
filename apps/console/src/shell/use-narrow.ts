import { useEffect, useState } from 'preact/hooks';

/** Windows whose columns console.css puts below each other. */
const NARROW = '(max-width: 56rem)';

/** Whether the window has one column, such as on a phone. */
export function useNarrow(): boolean {
  const [isNarrow, setNarrow] = useState(() => matchMedia(NARROW).matches);
  useEffect(() => {
    const query = matchMedia(NARROW);
    const follow = (): void => setNarrow(query.matches);
    query.addEventListener('change', follow);
    return () => query.removeEventListener('change', follow);
  }, []);
  return isNarrow;
}
