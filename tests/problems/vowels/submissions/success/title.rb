puts gets =~ /[aeiou]/i ? 'Yes' : 'No'
