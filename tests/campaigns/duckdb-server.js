// A DuckDB that answers one query after the other: node duckdb-server.js <file of the database> <folder> <threads>;
// query k is k.sql in the folder, its answer k.json, the end a file of that name
const fs = require('fs');
const { DuckDBInstance } = require('@duckdb/node-api');
const [file, folder, threads] = process.argv.slice(2);

(async () => {
  const db = await DuckDBInstance.create(file, { threads, memory_limit: '2GB', temp_directory: folder });
  const con = await db.connect();
  for (let k = 1; ; k++) {
    const asked = `${folder}/${k}.sql`;
    while (!fs.existsSync(asked)) {
      if (fs.existsSync(`${folder}/end`)) process.exit(0);
      await new Promise((done) => setTimeout(done, 50));
    }
    let answer;
    try {
      const got = await con.runAndReadAll(fs.readFileSync(asked, 'utf8'));
      answer = { columns: got.getColumnsJson(), names: got.columnNames() };
    } catch (error) {
      answer = { error: error.message };
    }
    const used = process.cpuUsage();
    answer.cpu = (used.user + used.system) / 1e6;
    answer.peak = process.resourceUsage().maxRSS / 1024; // MB
    fs.writeFileSync(`${folder}/${k}.part`, JSON.stringify(answer));
    fs.renameSync(`${folder}/${k}.part`, `${folder}/${k}.json`);
  }
})();
