-- Formulas as MathML without a second copy of each in TeX, which no browser shows and which
-- takes a quarter of the page. Without pandoc.write (pandoc before 2.17) nothing is changed, and
-- pandoc's own --mathml writes both.
function Math(formula)
  if not pandoc.write then return nil end
  local html = pandoc.write(
    pandoc.Pandoc({pandoc.Plain({formula})}), "html", {html_math_method = "mathml"}
  )
  if not html:find("<math", 1, true) then return nil end
  html = html:gsub("<annotation.-</annotation>", ""):gsub("</?semantics>", "")
  html = html:gsub(' xmlns="[^"]*"', ""):gsub("%s+$", "")
  return pandoc.RawInline("html", html)
end
