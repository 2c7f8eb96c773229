// Running a program to its end, in a way that lets the caller end it too.
import { spawn } from 'node:child_process';

/**
 * Runs PROGRAM and resolves with its exit code and what it wrote. ECHO (a stream) gets the output as it comes.
 * SIGNAL (an AbortSignal) ends it; the promise is then rejected.
 */
export function runProgram(program, args, { env, cwd, signal, echo } = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { env, cwd, signal, stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text) => {
        output += text;
        echo?.write(text);
      });
    }
    child.once('error', reject);
    child.once('close', (status) => resolve({ status: status ?? 1, output: output.trim() }));
  });
}
