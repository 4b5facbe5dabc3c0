// A DuckDB that answers one query after the other: node serve.mjs FILE FOLDER; query k is FOLDER/k.sql, its answer FOLDER/k.json
import { DuckDBInstance } from '@duckdb/node-api';
import fs from 'node:fs';
const [file, folder] = process.argv.slice(2);
const db = await DuckDBInstance.create(file, { threads: '2', memory_limit: '4GB', temp_directory: folder });
const con = await db.connect();
for (let k = 1; ; k++) {
  const asked = `${folder}/${k}.sql`;
  while (!fs.existsSync(asked)) {
    if (fs.existsSync(`${folder}/end`)) process.exit(0);
    await new Promise(done => setTimeout(done, 50));
  }
  let answer;
  const cpu = process.cpuUsage();
  try {
    const got = await con.runAndReadAll(fs.readFileSync(asked, 'utf8'));
    answer = { columns: got.getColumnsJson(), names: got.columnNames(), types: got.columnTypes().map(String) };
  } catch (error) { answer = { error: error.message }; }
  const used = process.cpuUsage(cpu);
  answer.cpu = (used.user + used.system) / 1e6;
  answer.peak = process.resourceUsage().maxRSS / 1024; // MB
  fs.writeFileSync(`${folder}/${k}.part`, JSON.stringify(answer));
  fs.renameSync(`${folder}/${k}.part`, `${folder}/${k}.json`);
}
